#include "common/child.h"

#include "common/file.h"
#include "common/messages.h"
#include "common/pattern.h"
#include "common/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

const char *child_path(const char *program, char path[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(path, '/');
    char *name = !slash ? path : slash + 1;
    snprintf(name, (size_t)(path + PATH_MAX - name), "%s", program);
    return path;
}

bool child_is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool child_find(const char *program, char path[PATH_MAX])
{
    const char *folders = getenv("PATH");
    for (const char *rest = folders ? folders : "/bin:/usr/bin"; rest;) {
        const size_t length = strcspn(rest, ":");
        const int written = length == 0
                                ? snprintf(path, PATH_MAX, "./%s", program)
                                : snprintf(path, PATH_MAX, "%.*s/%s", (int)length, rest, program);
        if (written < PATH_MAX && child_is_program(path))
            return true;
        rest = rest[length] == ':' ? rest + length + 1 : NULL;
    }
    return false;
}

enum { HEAD_SIZE = 256 }; // as much as the kernel looks at of a script

// What the kernel starts for a script, of its first line in `head`, which is cut after it; NULL: it
// is no script.
static char *interpreter_of(char *head)
{
    if (strncmp(head, "#!", 2) != 0)
        return NULL;
    char *word = head + 2 + strspn(head + 2, " \t");
    word[strcspn(word, " \t\n")] = '\0';
    return *word == '\0' ? NULL : word;
}

// Of a program that is there, why the kernel cannot find what it needs.
static void why_incomplete(char *head, char *text, size_t size)
{
    char *interpreter = interpreter_of(head);
    const size_t length = !interpreter ? 0 : strlen(interpreter);
    if (length > 0 && interpreter[length - 1] == '\r')
        snprintf(text, size,
                 "its lines end with CR LF, so its interpreter is \"%.*s\\r\": convert it with "
                 "dos2unix",
                 (int)length - 1, interpreter);
    else if (length > 0)
        snprintf(text, size, "its interpreter %s is not there", interpreter);
    else
        snprintf(text, size,
                 "it is there, but not the loader or interpreter that it was built for");
}

static void why_denied(const char *path, char *head, char *text, size_t size)
{
    struct statvfs system;
    const char *interpreter = interpreter_of(head);
    if (!child_is_program(path))
        snprintf(text, size, "not executable");
    else if (statvfs(path, &system) == 0 && (system.f_flag & ST_NOEXEC) != 0)
        snprintf(text, size, "not executable: its file system is mounted noexec");
    else if (interpreter && access(interpreter, X_OK) != 0)
        snprintf(text, size, "its interpreter %s is not executable", interpreter);
    else
        snprintf(text, size, "not executable: %s", strerror(EACCES));
}

const char *child_why(const char *word, int error, char *text, size_t size)
{
    char path[PATH_MAX], head[HEAD_SIZE] = "";
    const bool named = strchr(word, '/') != NULL;
    const bool there =
        named ? snprintf(path, sizeof path, "%s", word) < PATH_MAX && access(path, F_OK) == 0
              : child_find(word, path);
    const int fd = there ? file_open_regular(path, true) : -1;
    if (fd >= 0) {
        (void)file_read_open(fd, head, sizeof head);
        (void)close(fd);
    }
    if (error == ENOENT && there)
        why_incomplete(head, text, size);
    else if (error == ENOENT)
        snprintf(text, size, "not found");
    else if (error == EACCES && there)
        why_denied(path, head, text, size);
    else
        snprintf(text, size, "%s", error == EACCES ? "not executable" : strerror(error));
    return text;
}

// Everything that can be read; NULL: out of memory.
static char *read_all(int file)
{
    char *text = NULL, part[4096];
    size_t size = 0;
    ssize_t got;
    FILE *all = open_memstream(&text, &size);
    while (all && ((got = read(file, part, sizeof part)) > 0 || (got < 0 && errno == EINTR)))
        if (got > 0)
            fwrite(part, 1, (size_t)got, all);
    if (all && fclose(all) == 0)
        return text;
    free(text);
    return NULL;
}

static int start(const char *const *argv, int input, int output, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    if (input >= 0)
        error = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (error == 0 && output >= 0)
        error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (error == 0) // argv is not written to: POSIX
        error = posix_spawnp(child, argv[0], &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int child_run(const char *const *argv, int input, char **output)
{
    int ends[2] = {-1, -1}, status = -1;
    pid_t child;
    if (output)
        *output = NULL;
    if (output && pipe2(ends, O_CLOEXEC) != 0) {
        complain("cannot make a pipe: %s", strerror(errno));
        return -1;
    }
    const int error = start(argv, input, ends[1], &child);
    if (output)
        close(ends[1]);
    if (error != 0)
        complain("%s cannot be started (%s): run make", argv[0], strerror(error));
    else if (output)
        *output = read_all(ends[0]);
    if (output)
        close(ends[0]);
    if (error == 0)
        status = wait_for(child);
    if (!output || *output || status < 0)
        return status;
    complain("out of memory: free some");
    return -1;
}

enum { HTTP_PORT = 80, PORT_DIGITS = 5, PORT_LAST = 65535 };

static bool wrong(char *error, size_t size, const char *what)
{
    snprintf(error, size, "%s", what);
    return false;
}

static void add_ipv4(struct ready *ready, struct in_addr address)
{
    struct sockaddr_in internet = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)ready->port), .sin_addr = address};
    memcpy(&ready->address[ready->address_count++], &internet, sizeof internet);
}

static void add_ipv6(struct ready *ready, struct in6_addr address)
{
    struct sockaddr_in6 internet = {
        .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)ready->port), .sin6_addr = address};
    memcpy(&ready->address[ready->address_count++], &internet, sizeof internet);
}

// The addresses that host and port mean.
static bool resolve(struct ready *ready)
{
    struct in_addr ipv4 = {.s_addr = htonl(INADDR_LOOPBACK)};
    struct in6_addr ipv6 = IN6ADDR_LOOPBACK_INIT;
    ready->address_count = 0;
    if (ready->host[0] == '\0' || strcmp(ready->host, "localhost") == 0) {
        add_ipv4(ready, ipv4);
        add_ipv6(ready, ipv6);
    } else if (inet_pton(AF_INET, ready->host, &ipv4) == 1) {
        add_ipv4(ready, ipv4);
    } else if (inet_pton(AF_INET6, ready->host, &ipv6) == 1) {
        add_ipv6(ready, ipv6);
    }
    return ready->address_count > 0;
}

// A port of so many characters.
static bool take_port(struct ready *ready, const char *text, size_t length)
{
    const bool digits =
        length >= 1 && length <= PORT_DIGITS && strspn(text, "0123456789") >= length;
    ready->port = digits ? (unsigned)strtoul(text, NULL, 10) : 0;
    return ready->port >= 1 && ready->port <= PORT_LAST;
}

static bool take_host(struct ready *ready, const char *text, size_t length)
{
    if (length >= 2 && text[0] == '[' && text[length - 1] == ']') {
        text++;
        length -= 2;
    }
    if (length >= sizeof ready->host)
        return false;
    memcpy(ready->host, text, length);
    ready->host[length] = '\0';
    return true;
}

// The last colon of so many characters that is none of an address in brackets.
static const char *port_colon(const char *text, size_t length)
{
    for (size_t i = length; i-- > 0 && text[i] != ']';)
        if (text[i] == ':')
            return text + i;
    return NULL;
}

static bool parse_port(struct ready *ready, const char *text, char *error, size_t size)
{
    const size_t length = strlen(text);
    const char *colon = port_colon(text, length);
    const char *number = !colon ? text : colon + 1;
    ready->kind = READY_PORT;
    ready->host[0] = '\0';
    if (!take_port(ready, number, strlen(number)))
        return wrong(error, size, "not a port: give one such as port:6379");
    if (colon && !take_host(ready, text, (size_t)(colon - text)))
        return wrong(error, size, "not an address: give one such as port:127.0.0.1:6379");
    return resolve(ready) || wrong(error, size,
                                   "not an address: give localhost, or a numeric one such as "
                                   "port:127.0.0.1:6379");
}

static bool parse_http(struct ready *ready, const char *text, char *error, size_t size)
{
    // Both http:http://HOST and the URL itself.
    const char *rest = text_after(text, "http://");
    rest = rest ? rest : text_after(text, "//");
    rest = rest ? rest : text;
    const size_t length = strcspn(rest, "/");
    const char *colon = port_colon(rest, length), *path = rest + length;
    const size_t host = !colon ? length : (size_t)(colon - rest);
    ready->kind = READY_HTTP;
    ready->port = HTTP_PORT;
    if (strlen(path) >= sizeof ready->path || strpbrk(path, " \t\r\n"))
        return wrong(error, size,
                     "not a URL that can be asked: give one such as "
                     "http://localhost:8080/health");
    if ((colon && !take_port(ready, colon + 1, length - host - 1)) || host == 0 ||
        !take_host(ready, rest, host) || !resolve(ready))
        return wrong(error, size,
                     "not an address: give localhost or a numeric one, and a port, "
                     "such as http://localhost:8080/health");
    snprintf(ready->path, sizeof ready->path, "%s", *path == '\0' ? "/" : path);
    return true;
}

static bool parse_match(struct ready *ready, const char *text, char *error, size_t size)
{
    const size_t length = strlen(text);
    regex_t compiled;
    char why[128];
    ready->kind = READY_MATCH;
    if (length < 3 || text[0] != '/' || text[length - 1] != '/' || length >= sizeof ready->regex)
        return wrong(error, size,
                     "not a regular expression: give one such as match:/ready to accept/");
    snprintf(ready->regex, sizeof ready->regex, "%.*s", (int)(length - 2), text + 1);
    if (pattern_compile(&compiled, ready->regex, REG_NOSUB | REG_NEWLINE, why, sizeof why)) {
        regfree(&compiled);
        return true;
    }
    snprintf(error, size, "not a POSIX extended regular expression (%s): fix it", why);
    return false;
}

static bool parse_command(struct ready *ready, const char *text, char *error, size_t size)
{
    const char *why;
    size_t count;
    char **words = words_split(text, &count, &why);
    ready->kind = READY_COMMAND;
    ready->command = text;
    free(words);
    if (words && count > 0)
        return true;
    snprintf(error, size,
             "not a command (%s): give port:6379, http:URL, match:/REGEX/ or a command",
             !words ? why : "it has no word");
    return false;
}

bool ready_parse(struct ready *ready, const char *text, char *error, size_t size)
{
    static const struct {
        const char *prefix;
        bool (*parse)(struct ready *ready, const char *text, char *error, size_t size);
    } kinds[] = {{"port:", parse_port}, {"http:", parse_http}, {"match:", parse_match}};
    *ready = (struct ready){0};
    if (text_after(text, "https:"))
        return wrong(error, size,
                     "nothing here can encrypt: give an http: URL, or a command such "
                     "as 'curl -sfk URL'");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *rest = text_after(text, kinds[i].prefix);
        if (rest)
            return kinds[i].parse(ready, rest, error, size);
    }
    return parse_command(ready, text, error, size);
}

bool ready_check(const char *text, char *error, size_t size)
{
    struct ready ready;
    return ready_parse(&ready, text, error, size);
}

#define MOST_CPU_S      60
#define EXIT_NOT_FOUND  127
#define EXIT_EXPRESSION 3 // of jq: the program is none

static const char kinds[] = {
    [JQ_NUMBER] = 'n', [JQ_NOTHING] = '0', [JQ_NOT_FINITE] = 'f',
    [JQ_OTHER] = 'o',  [JQ_ERROR] = 'e',
};

// A program that prints for each value a line "INDEX KIND TEXT"; to be freed. A comment in
// an expression ends with the line.
static char *program_of(const struct jq_query *query)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return NULL;
    for (size_t i = 0; i < query->count; i++)
        fprintf(stream,
                "%s(try ((%s\n) | if type == \"number\" then"
                " if isnan or isinfinite then \"%zu f \" else \"%zu n \\(tojson)\" end"
                " elif type == \"null\" then \"%zu 0 \" else \"%zu o \\(tojson[0:60])\" end)"
                " catch \"%zu e \\(tojson[0:120])\")",
                i > 0 ? ",\n" : "", query->expression[i], i, i, i, i, i);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

// It ends with us, whatever ends us.
static _Noreturn void become_jq(const char *program, int input, int output, pid_t parent)
{
    const struct rlimit limit = {.rlim_cur = MOST_CPU_S, .rlim_max = MOST_CPU_S};
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)setrlimit(RLIMIT_CPU, &limit);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_NOT_FOUND - 1);
    if (dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0 &&
        (input < 0 || dup2(input, STDIN_FILENO) >= 0))
        (void)execlp("jq", "jq", input < 0 ? "-nr" : "-r", program, (char *)NULL);
    _exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_FOUND - 1);
}

// Whether a line is one of ours; it is then given on.
static bool take_line(const struct jq_query *query, const char *line)
{
    char *end;
    const unsigned long index = strtoul(line, &end, 10);
    if (end == line || end[0] != ' ' || end[1] == '\0' || end[2] != ' ' || index >= query->count)
        return false;
    const char *kind = memchr(kinds, end[1], sizeof kinds);
    if (!kind)
        return false;
    const struct jq_value value = {
        .metric = index, .kind = (enum jq_kind)(kind - kinds), .text = end + 3};
    query->take(query->user, &value);
    return true;
}

// Everything that jq writes; the first line that is none of ours is its message.
static void read_lines(const struct jq_query *query, FILE *stream, char *message, size_t size)
{
    char *line = NULL;
    size_t room = 0;
    message[0] = '\0';
    for (ssize_t length; (length = getline(&line, &room, stream)) > 0;) {
        if (line[length - 1] == '\n')
            line[length - 1] = '\0';
        if (take_line(query, line) || message[0] != '\0')
            continue;
        snprintf(message, size, "%.120s", line);
    }
    free(line);
}

// A message about an expression without where it is in our program, and the advice to think
// of a shell's quotes.
static int said_length(const char *message)
{
    const char *advice = strstr(message, " (Unix shell"),
               *place = strstr(message, " at <top-level>");
    const char *end = advice ? advice : place;
    return end ? (int)(end - message) : (int)strlen(message);
}

// By its words where its status is not the same in all versions.
static bool explain(int status, const char *message, char *error, size_t size)
{
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    const char *no_json = text_after(message, "parse error: "),
               *wrong = text_after(message, "jq: error: ");
    if (code == 0)
        return true;
    if (code == EXIT_NOT_FOUND)
        snprintf(error, size, "jq is not installed");
    else if (code < 0)
        snprintf(error, size, "jq was ended by signal %d%s", WTERMSIG(status),
                 WTERMSIG(status) == SIGKILL ? ", as after 60 s of CPU time" : "");
    else if (no_json)
        snprintf(error, size, "no JSON: %s", no_json);
    else
        snprintf(error, size, "%s: %.*s",
                 code == EXIT_EXPRESSION ? "jq does not understand it" : "jq failed",
                 said_length(wrong ? wrong : message), wrong != NULL ? wrong : message);
    return false;
}

// The end of a child is known here; nobody else needs its signal.
static void forget_child_signal(void)
{
    const struct timespec now = {0};
    sigset_t child;
    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    (void)sigtimedwait(&child, NULL, &now);
}

// Runs a program; input -1: it reads none.
static bool run_jq(const struct jq_query *query, const char *program, int input, char *error,
                   size_t size)
{
    int ends[2], status = 0;
    char message[256];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return snprintf(error, size, "jq: %s", strerror(errno)), false;
    const pid_t parent = getpid(), child = fork();
    if (child == 0)
        become_jq(program, input, ends[1], parent);
    (void)close(ends[1]);
    FILE *stream = child > 0 ? fdopen(ends[0], "r") : NULL;
    if (!stream) {
        snprintf(error, size, "jq: %s", strerror(errno));
        (void)close(ends[0]);
    } else {
        read_lines(query, stream, message, sizeof message);
        (void)fclose(stream);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    forget_child_signal();
    return stream && explain(status, message, error, size);
}

bool jq_evaluate(const struct jq_query *query, int input, char *error, size_t size)
{
    char *program = program_of(query);
    bool evaluated = false;
    if (!program)
        snprintf(error, size, "no memory");
    else if (lseek(input, 0, SEEK_SET) != 0)
        snprintf(error, size, "cannot be read from its start: %s", strerror(errno));
    else
        evaluated = run_jq(query, program, input, error, size);
    free(program);
    return evaluated;
}

bool metric_jq_check(const struct metric *metric, char *error, size_t size)
{
    const struct jq_query none = {.count = 0};
    char *program = NULL, why[256];
    bool understood = false;
    if (asprintf(&program, "empty | (%s\n)", metric->expression) < 0) {
        snprintf(why, sizeof why, "no memory");
        program = NULL;
    } else {
        understood = run_jq(&none, program, -1, why, sizeof why);
    }
    if (!understood)
        snprintf(error, size, "metric %s: %s", metric->name, why);
    free(program);
    return understood;
}

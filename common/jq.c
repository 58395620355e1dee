// Has the program jq evaluate expressions, and reads what it gives.
#include "common/jq.h"

#include "common/metric.h"
#include "common/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

// Reads all that jq writes; the first line that our filter did not write is the message of jq.
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

// copies: starts copies of a program at the same moment, and says what they took. What
// `jostle pack` measures; by itself any launcher's test of how many fit.

#define OPTIONS_OF struct copies_request

#include "common/cgroup.h"
#include "common/child.h"
#include "common/clock.h"
#include "common/cpus.h"
#include "common/file.h"
#include "common/keeper.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/options.h"
#include "common/template.h"
#include "common/text.h"
#include "common/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// What `copies` is to start: its command line.

// One of the programs, which copies are dealt in turn.
struct program_words {
    const char *name;  // of --mix; NULL: the only one
    char **words;      // ended by NULL
    size_t word_count; // at least one
};

struct copies_request {
    uint64_t copies;
    struct option_list mix;
    const char *pin, *input;
    bool own_folder, in_turn;
    struct options *options;
    struct program_words *program;
    size_t program_count;
    struct cpu_list *seat; // of copy i: seat[i % seat_count]; NULL: nothing is pinned
    size_t seat_count;
};

#define MOST_COPIES 4096

static const struct option_row rows[] = {
    {ROW("copies", "N", OPTION_COUNT, copies), .minimum = 1, .maximum = MOST_COPIES, .preset = "1",
     .help = "how many copies run at once"},
    {ROW("mix", "NAME=CMD", OPTION_LIST, mix), .check = option_check_assignment, .wrong = "program",
     .help = "one of several programs, in place of PROGRAM; copies are dealt to them in turn"},
    {ROW("pin", "LISTS", OPTION_TEXT, pin), .wrong = "0:x",
     .help = "the CPUs of each copy, lists with a colon between: 0:1 or 0-1:2-3; where there are "
             "more copies than lists they begin again"},
    FLAG("own-folder", own_folder, "start each copy in an empty folder of its own"),
    TEXT("input", "FILE", input, "stdin of each copy, opened anew for each (default: /dev/null)"),
    FLAG("in-turn", in_turn, "not at once: each begins when the one before has ended"),
    {0},
};

static const char intro[] =
    "Starts copies of a program at the same moment, waits for all of them, and prints what they "
    "took, a line each: copies; copy_s, the mean of their wall times, and NAME_s that of the "
    "copies of one program of --mix; worst_s, the longest; makespan_s, from the start to the last "
    "end; throughput, copies / makespan in 1/s; cpu_s, CPU time of a copy in the mean; peak_bytes, "
    "memory of the largest process.\n\n"
    "{copy} in a word is the number of the copy, from 1 on, and {scratch} an empty folder of its "
    "own, which is removed at the end. In the environment they are JOSTLE_COPY and JOSTLE_COPIES. "
    "The output of the copies is discarded; of the first that fails the last line of stderr is "
    "shown, and the others are ended.";

static const char details[] =
    "Examples:\n"
    "  copies --copies 2 --pin 0:1 -- ./solver input.dat\n"
    "  copies --copies 4 --mix 'a=./solver in' --mix 'b=./server --port 80{copy}'\n\n"
    "Exit status:\n"
    "  0  all copies ended with 0    1  failure of copies itself    2  wrong use\n"
    "  else that of the copy that failed first; 128 + the signal that ended it";

static void read_mix(struct copies_request *request)
{
    request->program = must(calloc(request->mix.count, sizeof *request->program));
    for (size_t i = 0; i < request->mix.count; i++) {
        struct program_words *program = &request->program[i];
        const char *text = request->mix.item[i], *equals = strchr(text, '='), *why = "";
        program->name = must(strndup(text, (size_t)(equals - text)));
        program->words = words_split(equals + 1, &program->word_count, &why);
        if (!program->words || program->word_count == 0)
            usage_error("--mix %s: %s: give NAME=CMD", text,
                        !program->words ? why : "there is no command");
    }
    request->program_count = request->mix.count;
}

static void read_words(struct copies_request *request, char **words, size_t count)
{
    if (request->mix.count > 0 && count > 0)
        usage_error("--mix and %s: two sorts of programs: give one of them", words[0]);
    if (request->mix.count > 0) {
        read_mix(request);
        return;
    }
    if (count == 0)
        usage_error("no program: give one after --");
    request->program = must(calloc(1, sizeof *request->program));
    *request->program = (struct program_words){.words = words, .word_count = count};
    request->program_count = 1;
}

// The lists of --pin.
static void read_seats(struct copies_request *request)
{
    if (!request->pin)
        return;
    OWNED char *copy = must(strdup(request->pin));
    char *rest = copy;
    size_t count = 1;
    for (const char *at = request->pin; *at != '\0'; at++)
        count += *at == ':';
    request->seat = must(calloc(count, sizeof *request->seat));
    for (char *list = strsep(&rest, ":"); list; list = strsep(&rest, ":"))
        if (cpus_parse(list, &request->seat[request->seat_count++]) != 0)
            usage_error("--pin %s: '%s' is no list of CPUs: give lists such as 0:1 or 0-1:2-3",
                        request->pin, list);
    struct cpu_list allowed;
    char text[CPUS_TEXT];
    const bool known = cpus_allowed(&allowed) == 0;
    for (size_t i = 0; known && i < request->seat_count; i++) {
        const int cpu = cpus_missing(&request->seat[i], &allowed);
        if (cpu >= 0)
            usage_error("--pin %s: CPU %d is not allowed here: choose from %s", request->pin, cpu,
                        cpus_format(&allowed, text, sizeof text));
    }
}

// Answers --help; wrong use ends the program.
static void copies_request_read(struct copies_request *request, int argc, char **argv)
{
    const struct option_group groups[] = {{.rows = rows, .values = request}};
    const struct program program = {.name = "copies",
                                    .usage = "[--] PROGRAM [ARGS...]",
                                    .intro = intro,
                                    .details = details,
                                    .groups = groups,
                                    .group_count = 1,
                                    .stop_at_operand = true};
    int rest;
    *request = (struct copies_request){0};
    request->options = options_parse(&program, argc, argv, &rest);
    read_seats(request);
    read_words(request, argv + rest, (size_t)(argc - rest));
}

static void copies_request_free(struct copies_request *request)
{
    for (size_t i = 0; i < request->mix.count; i++) {
        free((char *)request->program[i].name);
        free(request->program[i].words);
    }
    free(request->program);
    free(request->seat);
    options_free(request->options);
}

// The copies themselves: started behind a gate, and waited for.

struct copy {
    size_t number; // from 1 on
    const struct program_words *program;
    char **words;       // the program's, with {copy} and {scratch} replaced
    int stderr_fd;      // a file without a name, what it writes there; -1: none
    pid_t pid;          // 0: it has not been started, or has ended
    int status;         // as wait() gives it
    int64_t wall_ns;    // from the opening of the gate to its end
    int64_t cpu_ns;     // of all its processes that it has waited for
    int64_t peak_bytes; // of the largest of them
};

struct copies {
    const struct copies_request *request;
    sigset_t signals;       // blocked: SIGCHLD, and those that end us
    char scratch[PATH_MAX]; // below it an empty folder for each copy; "": there is none
    struct copy *copy;
    size_t count;
    int64_t makespan_ns;       // of those that run at once, added up over those in turn
    const struct copy *failed; // the first; NULL: none
    int signal;                // that ended us; 0: none
};

#define NOT_STARTED 127 // as shells have it

// ---- before they start

// The folder of a copy into a buffer of PATH_MAX; returns it; "" where there is none.
static const char *scratch_of(const struct copies *copies, size_t number, char path[PATH_MAX])
{
    if (copies->scratch[0] == '\0' ||
        snprintf(path, PATH_MAX, "%s/%zu", copies->scratch, number) >= PATH_MAX)
        path[0] = '\0';
    return path;
}

// A folder in $TMPDIR (else /var/tmp), with one for each copy. False after a message; to be removed
// all the same.
static bool scratch_make(struct copies *copies)
{
    const char *base = getenv("TMPDIR");
    char path[PATH_MAX];
    if (!base || *base != '/')
        base = "/var/tmp";
    if (snprintf(copies->scratch, PATH_MAX, "%s/jostle-copies.XXXXXX", base) >= PATH_MAX ||
        !mkdtemp(copies->scratch)) {
        copies->scratch[0] = '\0';
        return complain(
            "%s: no folder can be made there (%s): set TMPDIR to one that can be written", base,
            strerror(errno));
    }
    for (size_t i = 1; i <= copies->count; i++)
        if (mkdir(scratch_of(copies, i, path), 0700) != 0)
            return complain("%s: %s: set TMPDIR to a folder that can be written", path,
                            strerror(errno));
    return true;
}

static bool uses_scratch(const struct copies_request *request)
{
    bool used = request->own_folder;
    for (size_t i = 0; i < request->program_count && !used; i++)
        for (char **word = request->program[i].words; *word && !used; word++)
            used = strstr(*word, "{scratch}") != NULL;
    return used;
}

// Makes what they need, their folders too. False after a message. To be freed in any case.
static bool copies_prepare(struct copies *copies, const struct copies_request *request)
{
    static const int signals[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    const char *temporary = getenv("TMPDIR");
    *copies = (struct copies){.request = request};
    sigemptyset(&copies->signals);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(&copies->signals, signals[i]);
    if (sigprocmask(SIG_BLOCK, &copies->signals, NULL) != 0)
        return complain("signals cannot be blocked: %s", strerror(errno));
    copies->count = request->in_turn && request->program_count > 1 ? request->program_count
                                                                   : (size_t)request->copies;
    copies->copy = must(calloc(copies->count, sizeof *copies->copy));
    for (size_t i = 0; i < copies->count; i++)
        copies->copy[i] = (struct copy){.number = i + 1,
                                        .program = &request->program[i % request->program_count],
                                        .stderr_fd = -1};
    if (uses_scratch(request) && !scratch_make(copies))
        return false;
    for (size_t i = 0; i < copies->count; i++) {
        struct copy *copy = &copies->copy[i];
        char path[PATH_MAX], number[32];
        // Where none can be had, nothing is kept of what it says.
        copy->stderr_fd = file_nameless(temporary && *temporary == '/' ? temporary : "/tmp", 0);
        copy->words = must(calloc(copy->program->word_count + 1, sizeof *copy->words));
        snprintf(number, sizeof number, "%zu", copy->number);
        (void)scratch_of(copies, copy->number, path);
        const struct template_name names[] = {{"copy", number}, {"scratch", path}, {0}};
        for (size_t k = 0; k < copy->program->word_count; k++)
            copy->words[k] = template_fill_names(copy->program->words[k], names);
    }
    return true;
}

// ---- in the child

// Gives the copy its CPUs, folder, environment and streams. Returns what failed, with errno; NULL:
// nothing.
static const char *settle_in(const struct copies *copies, const struct copy *copy)
{
    const struct copies_request *request = copies->request;
    char number[32], all[32], path[PATH_MAX];
    snprintf(number, sizeof number, "%zu", copy->number);
    snprintf(all, sizeof all, "%zu", copies->count);
    if (request->seat &&
        cpus_pin_list(&request->seat[(copy->number - 1) % request->seat_count]) != 0)
        return "--pin";
    const char *file = request->input ?: "/dev/null";
    const int input = open(file, O_RDONLY), output = open(file_sink(), O_WRONLY);
    if (input < 0)
        return file;
    if (request->own_folder && chdir(scratch_of(copies, copy->number, path)) != 0)
        return "its folder";
    if (setenv("JOSTLE_COPY", number, 1) != 0 || setenv("JOSTLE_COPIES", all, 1) != 0)
        return "its environment";
    const int errors = copy->stderr_fd >= 0 ? copy->stderr_fd : output;
    if (dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
        dup2(errors, STDERR_FILENO) < 0)
        return "its streams";
    return NULL;
}

// Two pipes: each copy writes a byte into `ready` when it waits, and waits until the other end of
// `open` is closed.
struct gate {
    int ready[2], open[2];
};

// Becomes the program when the gate opens.
static void become(const struct copies *copies, const struct copy *copy, const struct gate *gate,
                   pid_t parent)
{
    sigset_t none;
    char nothing, why[512];
    sigemptyset(&none);
    close(gate->open[1]);
    // It must not outlive us, also where we are killed; and we may have been already.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || getppid() != parent)
        _exit(NOT_STARTED);
    const char *failed = settle_in(copies, copy);
    if (failed)
        dprintf(copy->stderr_fd, "%s: %s\n", failed, strerror(errno));
    if (write(gate->ready[1], "", 1) != 1)
        _exit(NOT_STARTED);
    while (read(gate->open[0], &nothing, 1) < 0 && errno == EINTR)
        ;
    if (failed || sigprocmask(SIG_SETMASK, &none, NULL) != 0)
        _exit(NOT_STARTED);
    execvp(copy->words[0], copy->words);
    dprintf(STDERR_FILENO, "%s: %s\n", copy->words[0],
            child_why(copy->words[0], errno, why, sizeof why));
    _exit(NOT_STARTED);
}

// ---- in ours

static bool gate_make(struct gate *gate)
{
    return (pipe2(gate->ready, O_CLOEXEC) == 0 && pipe2(gate->open, O_CLOEXEC) == 0) ||
           complain("no pipe can be made: %s", strerror(errno));
}

// Forks the copies from first to end, each of which comes to wait at the gate.
static bool fork_behind(struct copies *copies, size_t first, size_t end, const struct gate *gate)
{
    const pid_t self = getpid();
    for (size_t i = first; i < end; i++) {
        struct copy *copy = &copies->copy[i];
        copy->pid = fork();
        if (copy->pid == 0)
            become(copies, copy, gate, self);
        if (copy->pid < 0) {
            copy->pid = 0;
            return complain("copy %zu of %zu cannot be started: %s: raise that limit, or "
                            "run fewer",
                            copy->number, copies->count,
                            limits_why(errno, (char[LIMITS_WHY]){0}, LIMITS_WHY));
        }
    }
    return true;
}

// Returns when `count` copies wait, or one of them has ended.
static void wait_at(const struct gate *gate, size_t count)
{
    char byte;
    while (count > 0) {
        const ssize_t got = read(gate->ready[0], &byte, 1);
        if (got == 0 || (got < 0 && errno != EINTR))
            return;
        count -= got > 0;
    }
}

static struct copy *copy_of(struct copies *copies, pid_t pid)
{
    for (size_t i = 0; i < copies->count; i++)
        if (copies->copy[i].pid == pid)
            return &copies->copy[i];
    return NULL; // an orphan of one of them
}

// Takes in all children that have ended. Returns how many copies those are.
static size_t reap(struct copies *copies, int64_t start_ns)
{
    struct rusage usage;
    size_t ended = 0;
    int status;
    pid_t pid;
    while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
        const int64_t end_ns = clock_ns();
        struct copy *copy = copy_of(copies, pid);
        if (!copy)
            continue;
        copy->pid = 0;
        copy->status = status;
        copy->wall_ns = end_ns - start_ns;
        copy->cpu_ns = timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime);
        copy->peak_bytes = (int64_t)usage.ru_maxrss * 1024;
        if (status != 0 && !copies->failed)
            copies->failed = copy;
        ended++;
    }
    return ended;
}

// Waits until `running` copies have ended, one has failed, or a signal came.
static void wait_for(struct copies *copies, size_t running, int64_t start_ns)
{
    while (running > 0 && !copies->failed && copies->signal == 0) {
        siginfo_t info;
        if (sigwaitinfo(&copies->signals, &info) < 0)
            continue; // stopped and continued
        if (info.si_signo != SIGCHLD)
            copies->signal = info.si_signo;
        running -= reap(copies, start_ns);
    }
    copies->makespan_ns += clock_ns() - start_ns;
}

static bool run_some(struct copies *copies, size_t first, size_t end)
{
    struct gate gate;
    if (!gate_make(&gate))
        return false;
    const bool forked = fork_behind(copies, first, end, &gate);
    close(gate.open[0]);
    close(gate.ready[1]);
    if (!forked) {
        (void)tree_kill(); // while the gate is closed: none of them is to begin
        return false;
    }
    wait_at(&gate, end - first);
    const int64_t start_ns = clock_ns();
    close(gate.open[1]);
    close(gate.ready[0]);
    wait_for(copies, end - first, start_ns);
    (void)tree_kill(); // all that lives below us
    return true;
}

// Runs them to their end, at once or in turn; afterwards nothing of what they have started lives.
// False after a message: they could not be run. A copy that fails, or a signal, ends all; that is
// in `failed` and `signal`.
static bool copies_run(struct copies *copies)
{
    const struct copies_request *request = copies->request;
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        return complain("cannot become the tree's reaper: %s", strerror(errno));
    if (!request->in_turn)
        return run_some(copies, 0, copies->count);
    for (size_t i = 0; i < copies->count && !copies->failed && copies->signal == 0; i++)
        if (!run_some(copies, i, i + 1))
            return false;
    return true;
}

// Removes the folders, too: also where what has run them was killed.
static void copies_free(struct copies *copies)
{
    for (size_t i = 0; copies->copy && i < copies->count; i++) {
        struct copy *copy = &copies->copy[i];
        for (char **word = copy->words; word && *word; word++)
            free(*word);
        free(copy->words);
        if (copy->stderr_fd >= 0)
            close(copy->stderr_fd);
    }
    free(copies->copy);
    if (copies->scratch[0] != '\0')
        file_remove_tree(copies->scratch);
}

#define LINE_BYTES 512

static double seconds(int64_t time_ns)
{
    return (double)time_ns / 1e9;
}

// Says how a copy failed; returns our exit status.
static int failed(const struct copies *copies)
{
    const struct copy *copy = copies->failed;
    const char *name = !copy->program->name ? copy->words[0] : copy->program->name;
    char text[LINE_BYTES];
    file_last_line(copy->stderr_fd, 0, text, sizeof text);
    if (WIFSIGNALED(copy->status)) {
        const int number = WTERMSIG(copy->status);
        complain("copy %zu of %zu (%s) was ended by signal %d (%s)%s%s", copy->number,
                 copies->count, name, number, strsignal(number), *text == '\0' ? "" : ": ", text);
        return 128 + number;
    }
    complain("copy %zu of %zu (%s) ended with exit status %d%s%s", copy->number, copies->count,
             name, WEXITSTATUS(copy->status), *text == '\0' ? "" : ": ", text);
    return WEXITSTATUS(copy->status);
}

// The mean wall time of the copies of one program.
static double mean_s(const struct copies *copies, const struct program_words *program)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < copies->count; i++)
        if (!program || copies->copy[i].program == program) {
            sum += seconds(copies->copy[i].wall_ns);
            count++;
        }
    return sum / (double)count;
}

static bool print(const struct copies *copies)
{
    const struct copies_request *request = copies->request;
    int64_t worst_ns = 0, cpu_ns = 0, peak_bytes = 0;
    for (size_t i = 0; i < copies->count; i++) {
        const struct copy *copy = &copies->copy[i];
        worst_ns = copy->wall_ns > worst_ns ? copy->wall_ns : worst_ns;
        peak_bytes = copy->peak_bytes > peak_bytes ? copy->peak_bytes : peak_bytes;
        cpu_ns += copy->cpu_ns;
    }
    printf("copies %zu\ncopy_s %.9f\n", copies->count, mean_s(copies, NULL));
    for (size_t i = 0; i < request->mix.count && i < copies->count; i++)
        printf("%s_s %.9f\n", request->program[i].name, mean_s(copies, &request->program[i]));
    printf("worst_s %.9f\nmakespan_s %.9f\nthroughput %.9g\ncpu_s %.9f\npeak_bytes %lld\n",
           seconds(worst_ns), seconds(copies->makespan_ns),
           (double)copies->count / seconds(copies->makespan_ns),
           seconds(cpu_ns) / (double)copies->count, (long long)peak_bytes);
    return fflush(stdout) == 0;
}

static int run(struct copies *copies)
{
    if (!copies_run(copies))
        return EXIT_FAILURE;
    if (copies->signal != 0)
        return 128 + copies->signal;
    if (copies->failed)
        return failed(copies);
    return print(copies) ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    streams_open();
    struct copies_request request;
    struct copies copies;
    int code = EXIT_FAILURE;
    copies_request_read(&request, argc, argv);
    const struct keeper keeper = {.passed = &copies.signals, .name = "copies-keeper"};
    if (copies_prepare(&copies, &request) && keeper_start(&keeper, &code))
        code = run(&copies);
    copies_free(&copies);
    copies_request_free(&request);
    return code;
}

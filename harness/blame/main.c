// blame: who slows a program down, by how much, and what would it gain without them?

#define OPTIONS_OF struct blame_options

#include "blame.h"

#include "common/child.h"
#include "common/exit_status.h"
#include "common/messages.h"
#include "common/options.h"
#include "common/save.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// The kernel has no higher one (PID_MAX_LIMIT).
#define PID_MOST 4194304

static const struct option_row rows[] = {
    {ROW("pid", "PID", OPTION_COUNT, pid), .minimum = 1, .maximum = PID_MOST,
     .help = "whose slowness it is about: this process and its descendants"},
    TEXT("cgroup", "PATH", cgroup,
         "those of a control group: /sys/fs/cgroup/user.slice, or as /proc/PID/cgroup has it"),
    TEXT("job", "ID", job,
         "those of a scheduler's job on this node, by its control group (job_ID)"),
    {ROW("duration", "TIME", OPTION_TIME, duration_ns), .minimum = 1e7, .maximum = OPTION_TIME_MOST,
     .preset = "5s", .help = "how long to look; with a program of yours: until it ends"},
    FLAG("watch", watch,
         "stay, with a line every --interval, until Ctrl-C: at most 1 % of one CPU"),
    {ROW("interval", "TIME", OPTION_TIME, interval_ns), .minimum = 1e9, .maximum = 3600e9,
     .preset = "10s", .help = "with --watch: the time from one line to the next"},
    TEXT("json", "FILE", json,
         "write a jostle.blame/1 to FILE too, - for stdout instead of the table; with --watch a "
         "line each, appended"),
    {ROW("at-most", "R", OPTION_FRACTION, at_most), .minimum = 0, .maximum = 1, .exclusive = true,
     .help = "a gate: exit 3 when others surely take more than this share (5% or 0.05), 0 when "
             "surely less, 4 when it cannot be told: of the CPUs, of the time by pressure, steal, "
             "or gaps in a short spin; with a program, pid, group or job: of its own time"},
    FLAG("quiet", quiet, "print no table"),
    {0},
};

static const char details[] =
    "The first line is the answer. What follows is who did how much; CPUs add up to what the "
    "kernel counted as busy. docs/blame.md says what is exact and what is not.\n\n"
    "Examples:\n"
    "  jostle blame -- ./solver input.dat           until it ends\n"
    "  jostle blame --pid 13021                     a running program, for 5 s\n"
    "  jostle blame                                 the whole node\n"
    "  jostle blame --watch --json node.jsonl       then: jostle report node.jsonl\n"
    "  jostle blame --at-most 5% --quiet || exit    in a job, before a benchmark\n\n"
    "Exit status:\n"
    "  0  done (--at-most: below)           1  failure\n"
    "  2  wrong use, or no such victim      3  --at-most: above\n"
    "  4  --at-most: undecided";

static void check(const struct blame_options *options)
{
    const int victims = (options->pid != 0) + (options->cgroup != NULL) + (options->job != NULL) +
                        (options->program != NULL);
    if (victims > 1)
        usage_error("give one of --pid, --cgroup, --job and a program, or none for the whole node");
    if (options->watch && !isnan(options->at_most))
        usage_error("--at-most and --watch: a watch decides nothing: leave one of them out");
    if (options->watch && options->quiet && !options->json)
        usage_error("--watch and --quiet: nobody would see it: add --json FILE");
}

// Ends the program with --help, and with exit 2 for wrong use. Finds the victim, too.
static void options_read(struct blame_options *options, struct victim *victim, int argc,
                         char **argv)
{
    const struct option_group groups[] = {{.rows = rows, .values = options}};
    const struct program program = {
        .name = "jostle blame",
        .usage = "[-- PROGRAM...]",
        .intro = "Who slows a program down, by how much, and what would it gain without them? "
                 "Without root and without any reference: the kernel counts how long threads "
                 "waited for a CPU, and samples say who had it meanwhile.",
        .details = details,
        .groups = groups,
        .group_count = 1,
        .stop_at_operand = true,
    };
    int rest;
    *options = (struct blame_options){0};
    struct options *parsed = options_parse(&program, argc, argv, &rest);
    if (!options_given(parsed, "at-most"))
        options->at_most = NAN;
    if (rest < argc) {
        options->program = argv + rest;
        if (!options_given(parsed, "duration"))
            options->duration_ns = 0;
    }
    options_free(parsed);
    check(options);
    // What would be lost after hours of looking is said before.
    save_check_output(options->json, NULL);
    victim_find(victim, options);
}

// The program that is to be watched from its beginning to its end.

struct child {
    pid_t pid;     // 0: none
    int status;    // that it has ended with; 128 and a signal's number
    sigset_t mask; // what it gets back: signals, and how many files it may open
    struct rlimit files;
};

#define FILES 2048

// Takes these signals by sigtimedwait() from now on, and more files than a program needs.
static void child_block(struct child *child, const sigset_t *signals)
{
    sigprocmask(SIG_BLOCK, signals, &child->mask);
    signal(SIGCHLD, SIG_DFL); // ignored, no child would be a zombie
    if (getrlimit(RLIMIT_NOFILE, &child->files) != 0)
        return;
    struct rlimit more = child->files;
    if (more.rlim_cur >= FILES)
        return;
    more.rlim_cur = more.rlim_max < FILES ? more.rlim_max : FILES;
    (void)setrlimit(RLIMIT_NOFILE, &more);
}

static void become(const struct child *child, char **program, bool to_stderr, int error_fd)
{
    sigprocmask(SIG_SETMASK, &child->mask, NULL);
    (void)setrlimit(RLIMIT_NOFILE, &child->files);
    if (!to_stderr || dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        execvp(program[0], program);
    const int error = errno;
    (void)!write(error_fd, &error, sizeof error);
    _exit(127);
}

// Starts a program; to_stderr: stdout is ours alone. Ends this one with exit 2 where that cannot
// be run.
static void child_start(struct child *child, char **program, bool to_stderr)
{
    char why[512];
    int ends[2], error;
    // What outlives its parent is still the program's.
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (pipe2(ends, O_CLOEXEC) != 0 || (child->pid = fork()) < 0)
        usage_error("%s cannot be started: %s", program[0], strerror(errno));
    if (child->pid == 0)
        become(child, program, to_stderr, ends[1]);
    (void)close(ends[1]);
    if (read(ends[0], &error, sizeof error) == sizeof error)
        usage_error("%s cannot be run: %s: check its name", program[0],
                    child_why(program[0], error, why, sizeof why));
    (void)close(ends[0]);
}

// After a SIGCHLD: whether it has ended. It stays a zombie, which can be looked at; what it left
// behind is waited for.
static bool child_has_ended(struct child *child)
{
    for (;;) {
        siginfo_t found = {0};
        if (waitid(P_ALL, 0, &found, WEXITED | WNOHANG | WNOWAIT) != 0 || found.si_pid == 0)
            break;
        if (found.si_pid == child->pid) {
            child->status = found.si_status + (found.si_code == CLD_EXITED ? 0 : 128);
            return true;
        }
        (void)waitpid(found.si_pid, NULL, 0);
    }
    return false;
}

// The parts of one CPU that a watch, and a single look, may use beyond what the beginning takes.
#define WATCH_SHARE 0.008
#define LOOK_SHARE  0.01
#define BEGIN_S     0.01
// Samples: 100 a second where they cost little, else fewer; with less than 10 nothing is told.
#define SHORTEST_S 0.01
#define LONGEST_S  0.1
// From one look at all processes to the next, at least; so many times what one costs.
#define SCAN_S     0.25
#define SCAN_TIMES 250
#define SLICE_S    0.5

struct blame {
    struct blame_options options;
    struct victim victim;
    struct scan scan;
    struct sampler sampler;
    struct look before;
    struct gate gate;
    struct switches *switches; // NULL: not here, or too many
    struct child child;
    sigset_t signals;
    double period_s, next_sample_s, next_scan_s, next_slice_s, begin_s, begin_own_s;
    int signal;  // that has ended it; 0: none
    int json_fd; // of a watch; -1: none
    enum verdict state;
};

static double now_s(void)
{
    return clock_s(CLOCK_MONOTONIC);
}

// Until the program has ended; what would end us meanwhile is sent on to it, as is the signal that
// has ended the look.
static void child_wait(struct blame *blame)
{
    struct child *child = &blame->child;
    if (child->pid <= 0)
        return;
    if (blame->signal != 0)
        (void)kill(child->pid, blame->signal);
    while (!child_has_ended(child)) {
        const int found = sigwaitinfo(&blame->signals, NULL);
        if (found > 0 && found != SIGCHLD)
            (void)kill(child->pid, found);
    }
    (void)waitpid(child->pid, NULL, 0);
}

static void scan(struct blame *blame)
{
    const double own_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    scan_take(&blame->scan);
    sampler_choose(&blame->sampler);
    const double cost_s = clock_s(CLOCK_PROCESS_CPUTIME_ID) - own_s;
    blame->next_scan_s = now_s() + fmax(SCAN_S, SCAN_TIMES * cost_s);
}

static void take_switches(struct blame *blame, double elapsed_s)
{
    if (!blame->switches)
        return;
    switches_take(blame->switches, &blame->scan.whos);
    if (!switches_too_many(blame->switches, elapsed_s))
        return;
    switches_close(blame->switches);
    blame->switches = NULL;
}

// As often as its cost allows; never in step with anything.
static void sample(struct blame *blame)
{
    const double elapsed_s = now_s() - blame->begin_s;
    sampler_take(&blame->sampler);
    take_switches(blame, elapsed_s);
    const double used_s = clock_s(CLOCK_PROCESS_CPUTIME_ID) - blame->begin_own_s;
    const double share = blame->options.watch ? WATCH_SHARE : LOOK_SHARE;
    const double allowed_s = BEGIN_S + share * elapsed_s;
    if (used_s > allowed_s)
        blame->period_s = fmin(1.5 * blame->period_s, LONGEST_S);
    else if (used_s < 0.8 * allowed_s)
        blame->period_s = fmax(blame->period_s / 1.2, SHORTEST_S);
    blame->next_sample_s = now_s() + blame->period_s * (0.75 + 0.5 * drand48());
}

// Sleeps until then, or until a signal.
static void sleep_until(struct blame *blame, double due_s)
{
    const double left_s = fmax(due_s - now_s(), 0);
    const struct timespec left = {(time_t)left_s, (long)(1e9 * (left_s - floor(left_s)))};
    const int found = sigtimedwait(&blame->signals, NULL, &left);
    if (found == SIGCHLD)
        blame->sampler.ended = child_has_ended(&blame->child) || blame->sampler.ended;
    else if (found > 0)
        blame->signal = found;
}

static bool goes_on(const struct blame *blame)
{
    return blame->signal == 0 && !blame->sampler.ended && !blame->scan.ended;
}

// Looks until then; false: the victim has ended, or a signal came.
static bool look_until(struct blame *blame, double end_s)
{
    const bool gated = !isnan(blame->options.at_most);
    while (goes_on(blame) && now_s() < end_s) {
        const double s = now_s();
        if (s >= blame->next_scan_s)
            scan(blame);
        if (s >= blame->next_sample_s)
            sample(blame);
        if (gated && s >= blame->next_slice_s) {
            gate_slice(&blame->gate);
            blame->next_slice_s = s + SLICE_S;
        }
        sleep_until(blame, fmin(fmin(blame->next_sample_s, blame->next_scan_s), end_s));
    }
    return goes_on(blame);
}

static void look_now(struct blame *blame, struct look *look)
{
    look_take(look, blame->victim.folder, blame->victim.pid);
}

// Everything that was there before us is known first; then the program begins.
static void begin(struct blame *blame)
{
    srand48((long)getpid());
    blame->begin_s = now_s();
    blame->begin_own_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    blame->scan.victim = &blame->victim;
    sampler_open(&blame->sampler, &blame->scan);
    scan(blame);
    if (blame->options.program) { // it will be in our group
        struct who *own = who_find(&blame->scan.whos, getpid());
        if (own) {
            who_ask(own);
            victim_find_folder(&blame->victim, own);
        }
    }
    if (blame->victim.kind != VICTIM_NODE)
        blame->switches = switches_open();
    look_now(blame, &blame->before);
    if (blame->options.program) {
        child_start(&blame->child, blame->options.program,
                    blame->options.json != NULL && strcmp(blame->options.json, "-") == 0);
        blame->victim.pid = blame->child.pid;
        sampler_add(&blame->sampler, blame->child.pid);
    }
    look_take(&blame->gate.look, "", 0);
    blame->gate.of_victim = blame->victim.kind != VICTIM_NODE;
    blame->period_s = SHORTEST_S;
    blame->next_sample_s = blame->begin_s;
}

// What was found since the last time.
static void answer_find(struct blame *blame, struct answer *answer)
{
    struct look after;
    const struct who *root = who_find(&blame->scan.whos, blame->victim.pid);
    sampler_take(&blame->sampler);
    take_switches(blame, now_s() - blame->begin_s);
    if (blame->switches)
        blame->sampler.preempted_s =
            switches_next_window(blame->switches, &blame->sampler.unseen_s);
    look_now(blame, &after);
    scan_take(&blame->scan);
    if (blame->victim.kind == VICTIM_PROGRAM && root) // what it has become by exec
        memcpy(blame->victim.name, root->name, sizeof blame->victim.name);
    *answer = (struct answer){
        .options = &blame->options,
        .victim = &blame->victim,
        .sampler = &blame->sampler,
        .ended = blame->victim.kind == VICTIM_PID && (blame->sampler.ended || blame->scan.ended),
        .status = blame->child.status,
        .gate = isnan(blame->options.at_most) ? NULL : &blame->gate,
    };
    facts_between(&blame->before, &after, &answer->facts);
    answer_make(answer);
    blame->before = after;
}

static bool write_record(struct blame *blame, const struct answer *answer)
{
    const char *path = blame->options.json;
    if (!path)
        return true;
    char *text = answer_record(answer);
    bool good;
    if (strcmp(path, "-") == 0)
        good = fputs(text, stdout) != EOF && fflush(stdout) == 0;
    else if (blame->json_fd >= 0)
        good = save_append(blame->json_fd, text, strlen(text)) || save_complain(path);
    else
        good = save_text(path, text, SAVE_OUTPUT) || save_complain(path);
    free(text);
    return good;
}

static bool is_shown(const struct blame *blame)
{
    return !blame->options.quiet && (!blame->options.json || strcmp(blame->options.json, "-") != 0);
}

static bool look_once(struct blame *blame)
{
    struct answer answer;
    const double duration_s = (double)blame->options.duration_ns / 1e9;
    const double end_s = duration_s > 0 ? now_s() + duration_s : INFINITY;
    blame->next_slice_s = now_s() + SLICE_S; // after the end is known: a second has one slice
    (void)look_until(blame, end_s);
    answer_find(blame, &answer);
    blame->state = answer.state;
    if (is_shown(blame))
        answer_print(&answer);
    return write_record(blame, &answer);
}

static bool watch(struct blame *blame)
{
    const char *path = blame->options.json;
    const double interval_s = (double)blame->options.interval_ns / 1e9;
    bool more = true, good = true, any = false;
    if (path && strcmp(path, "-") != 0 &&
        (blame->json_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) < 0)
        return complain("%s: %s: name a file that can be written", path, strerror(errno));
    while (more && good) {
        struct answer answer;
        more = look_until(blame, now_s() + interval_s);
        answer_find(blame, &answer);
        if (any && answer.facts.duration_s < interval_s / 2)
            break; // the end: too short to say anything
        any = true;
        sampler_choose(&blame->sampler);
        if (is_shown(blame))
            answer_print_line(&answer);
        good = write_record(blame, &answer) && !ferror(stdout);
        whos_next_window(&blame->scan.whos);
        sampler_next_window(&blame->sampler);
    }
    if (blame->json_fd >= 0)
        (void)close(blame->json_fd);
    return good;
}

// Signals are taken between two samples.
static void block_signals(struct blame *blame)
{
    static const int taken[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD};
    sigemptyset(&blame->signals);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        sigaddset(&blame->signals, taken[i]);
    child_block(&blame->child, &blame->signals);
}

int main(int argc, char **argv)
{
    static struct blame blame = {.json_fd = -1};
    streams_open();
    if (argc == 3 && (strcmp(argv[1], "--show") == 0 || strcmp(argv[1], "--page") == 0))
        return history_show(argv[2], strcmp(argv[1], "--page") == 0);
    options_read(&blame.options, &blame.victim, argc, argv);
    block_signals(&blame);
    begin(&blame);
    const bool good = blame.options.watch ? watch(&blame) : look_once(&blame);
    child_wait(&blame);
    switches_close(blame.switches);
    sampler_close(&blame.sampler);
    scan_free(&blame.scan);
    if (!good || fflush(stdout) != 0)
        return EXIT_FAILURE;
    if (isnan(blame.options.at_most) || blame.state == VERDICT_BELOW)
        return EXIT_SUCCESS;
    return blame.state == VERDICT_ABOVE ? EXIT_ABOVE : EXIT_UNDECIDED;
}

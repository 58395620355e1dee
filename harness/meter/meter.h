// meter: runs a command and says what it took.
#ifndef METER_METER_H
#define METER_METER_H

#include "common/counters.h"
#include "common/cpus.h"
#include "common/energy.h"
#include "common/group.h"
#include "common/json.h"
#include "common/metric.h"
#include "common/options.h"
#include "common/perf_event.h"

#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

// ---- system.c

// Closes it unless it is -1, which it is then.
void fd_close(int *fd);

// A member that is null where it is not known.
void record_seconds(struct line *line, const char *name, bool known, int64_t time_ns, int decimals);
void record_count(struct line *line, const char *name, bool known, uint64_t count);

// The schedstat of a process, 0: our own, to be read again and again. -1 with
// errno.
int schedstat_open(pid_t pid);

// The target's own stalls: time in which it could not continue although it had work, from
// its exec to its end.
//
// Two sources, both of them lower bounds of the time in which at least one of the
// target's threads waited:
// - pressure-stall totals ("some") of a cgroup v2 of its own. The kernel takes the mean
//   over the CPUs, each weighted by the whole ticks that it was busy (kernel/sched/psi.c,
//   collect_percpu_times): exact while one thread stays on one CPU, up to N times too
//   small for one that moves among N, and 0 for what took less than a tick.
// - its main thread's run delay, which is exact, but knows of no other thread or process
//   and of no wait for memory or a disk. Where both are known, the larger one counts.

//
// Of the CPU the group also has the time in which none of its tasks ran although one was ready
// ("full", Linux 5.13): what other programs took, where several tasks also wait for each other.

enum stall {
    STALL_CPU,
    STALL_MEMORY,
    STALL_IO,
    STALL_FILES,
    STALL_CPU_FULL = STALL_FILES,
    STALL_COUNT
};

// In place of a total that the kernel does not have.
#define STALL_UNKNOWN UINT64_MAX

// A group's pressure files, kept open: they are read twice a run.
struct stall_files {
    bool open; // all of them, or none
    int fd[STALL_FILES];
};

// Running totals.
struct stall_totals {
    bool has_group;
    uint64_t group_us[STALL_COUNT];
    bool has_delay;
    int64_t delay_ns; // of the main thread
    int64_t run_ns;   // its CPU time, of the same moment
};

// The files of the target's group. Where there are none (no group, not v2, a
// kernel without PSI), the group's part of the totals is not there.
void stalls_open(struct stall_files *files, const struct group *group);

// May be repeated.
void stalls_close(struct stall_files *files);

// The group's totals alone, in microseconds. False where it has none.
bool stalls_read(const struct stall_files *files, uint64_t totals_us[STALL_COUNT]);

// The totals of the calling process, which is about to become the target.
void stalls_begin(struct stall_totals *totals, const struct stall_files *files);

// The totals of the target, which has ended and has not been reaped.
void stalls_end(struct stall_totals *totals, const struct stall_files *files, pid_t target);

// Begins the member "stalls" with what grew over so long, of a group (before_us NULL:
// there is none), and by which the thread that waited longest for a CPU was delayed (-1: not
// known). Of a group that had nothing in less than `least_ns` nothing is known: the kernel may not
// have counted it. False, and null: nothing is known at all.
bool stalls_write(struct line *line, const uint64_t *before_us, const uint64_t *after_us,
                  int64_t delay_ns, int64_t time_ns, int64_t least_ns);

// ---- signals.c

// What the caller has set, to be given on to the target unchanged.
struct signals {
    sigset_t mask;
    struct sigaction child;
    struct sigaction pipe;
    sigset_t awaited; // those that the supervisor waits for, now blocked
    int fd;           // a signalfd of them
};

// End this run, and carry on: a signal that no scheduler sends, as some do SIGUSR1 to all processes
// of a job.
#define SIGNAL_END_RUN SIGRTMIN

// Blocks SIGCHLD, SIGCONT, SIGNAL_END_RUN and the
// terminating signals, so that they can be waited for, and those by which a terminal stops: meter
// continues, and sees for how long the target did not. One that the caller ignores (as nohup does)
// stays ignored. False after a message.
bool signals_take(struct signals *signals);

// Takes one that has come; 0 when there is none. *child, unless NULL, is set to
// the process that a SIGCHLD is about (several that have come are one).
int signals_next(const struct signals *signals, pid_t *child);

// To be called in the target's process, before its exec.
void signals_give_back(const struct signals *signals);

// A moment in which meter ran, and how long it had waited for a CPU in its life until
// then, in nanoseconds. Between two of them the difference of waited_ns is what meter's own
// waiting put between an event and its being noticed.
struct awake {
    int64_t at_ns; // CLOCK_MONOTONIC
    bool known;    // the kernel counts run delays
    int64_t waited_ns;
    int64_t sleeps, preemptions; // how often it left a CPU of its own will, or not
};

// This moment. own_fd: schedstat_open(0), or -1.
struct awake awake_now(int own_fd);

// When a process ended, by a parent that had to wait for a CPU before it could see that.
//
// The kernel does not say when a process ended (taskstats and the proc connector would, to
// root alone; perf's exit events need a ring buffer a run). The parent is woken at that
// moment, and the scheduler counts, to the nanosecond, for how long the parent then waits
// until it runs: end = when it ran - what it waited since it last saw the process alive.
// What is left in it is the wake-up of an idle CPU, some 10 us.
//
// The parent sees it alive right before it sleeps, and the target starts only then
// (launch_watched()). Where the parent slept once and was not preempted, all that it waited
// was after the end. Where it was preempted, too, nobody knows which part was: nothing is
// taken off, for it may be most of the run. Where it did not sleep at all, the process ended
// while it waited; then the end is not put before what the process itself has used up: its
// start + CPU time + run delay of its main thread. In any case the error is at most the
// parent's waiting.

// The CLOCK_MONOTONIC of the end. alive: when the process had not ended yet; seen:
// when it had; its totals at start_ns, and at the end.
int64_t ending_ns(const struct awake *alive, const struct awake *seen, int64_t start_ns,
                  const struct stall_totals *at_start, const struct stall_totals *at_end);

// ---- settings.c

enum exit_code {
    EXIT_RECORDED = 0,
    EXIT_NOT_RUN = 1,
    EXIT_WRONG_USE = 2,
    EXIT_LOST = 125,
    EXIT_BY_SIGNAL = 128,
};

// How the CPU time of the tree is found.
enum accounting {
    ACCOUNTING_AUTO,    // the first of the following that this machine allows
    ACCOUNTING_CGROUP2, // a group of its own in the unified hierarchy
    ACCOUNTING_CGROUP1, // a group of its own in the cpuacct hierarchy
    ACCOUNTING_RUSAGE,  // the sum over all processes that were waited for
    ACCOUNTING_CGROUP,  // as auto, but refuse when there is no group to have
};

// One of the commands that may be run.
struct target {
    size_t number;      // of --commands, from 0 on
    const char *folder; // where it runs; NULL: where meter does
    char **words;       // NULL-terminated, at least one
    bool variables;     // words in front may be NAME=VALUE, for its environment
};

// A metric's source holds for all targets that have none of their own.
#define ANY_TARGET SIZE_MAX

struct settings {
    struct options *given; // whose lists are used
    int64_t timeout_ns;    // 0: none
    const char *output;    // "-": stdout
    const char *in_path;   // NULL: the target inherits ours; with serve it reads nothing
    const char *out_path;
    const char *error_path;
    const char *errors_kept; // where the end of a failed run's stderr goes; NULL: nowhere
    const char *kept;        // the folder that the end of all output goes to; NULL: nowhere
    bool show_output;        // of what is captured, after each run
    bool drains_out;         // stdout goes to a pipe of ours
    bool captures_out;       // and what comes is kept
    bool captures_errors;    // stderr goes to a file of ours
    const char *cpus;        // NULL: not bound
    bool has_nice;
    int64_t nice;
    bool with_parent;
    bool serve;                    // run for each line on stdin
    int accounting;                // enum accounting
    struct option_list account;    // folders of a group that is counted in its place
    int counters;                  // enum counter_set
    struct option_list definition; // of the metrics, as texts
    struct sought *sought;         // as many metrics
    const char *vary;      // {NAME} in the words of a target stands for the value of `run N VALUE`
    bool commands;         // several are on the command line
    struct target *target; // at least one
    size_t target_count;
    bool service; // keep a server running for others; then:
    const char *ready;
    int64_t ready_timeout_ns;
    const char *stop_name;
    int stop_signal;
};

// Fills settings from the command line; the strings stay argv's. Ends
// meter with --help, --version and wrong use.
void meter_settings_read(struct settings *settings, int argc, char **argv);

void meter_settings_free(struct settings *settings);

// Its name, as in --accounting and in the record.
const char *accounting_name(enum accounting accounting);

// ---- numeral.c

// The whole of a number in a text, of which a pattern may have taken a part: 12,345,678 and
// 0m1.234s, where only digits were asked for.

// The longest one: DBL_MAX with all its digits has 309.
enum { NUMERAL_SIZE = 512 };

enum numeral_kind {
    NUMERAL_UNCLEAR,     // several readings, or none: 4,393 and 1:25
    NUMERAL_HEXADECIMAL, // is not read, but it is known what it is
    NUMERAL_PLAIN,       // strtod() reads it as it is
    NUMERAL_LISTED,      // digits in groups of three by commas; a list may look so: 12,345,678
    NUMERAL_GROUPED,     // it has another mark than a plain one, and one reading: 1'234'567
    NUMERAL_TIME,        // 1:25:56, 0m1.234s
};

struct numeral {
    size_t start, end; // in the text
    enum numeral_kind kind;
    char shape[NUMERAL_SIZE];      // as it is, each mark one byte; "": too long
    char plain[NUMERAL_SIZE + 16]; // as strtod() reads it, of a time in s; "": not clear
};

// The number that the digit text[at] is part of.
void numeral_around(const char *text, size_t length, size_t at, enum metric_comma comma,
                    struct numeral *numeral);

// How it might have been written plainly, for index 0 and 1; "" where that is as it is. One that is
// too long is no number, but a list: then it is any number.
const char *numeral_plainly(const struct numeral *numeral, size_t index, char form[NUMERAL_SIZE]);

// Whether no number goes on from the byte a to the byte b, which follows it.
bool numeral_seam(char a, char b);

// ---- search.c

// The figures of one metric in one run, as they are found, and what they come to.

enum { REASON_SIZE = 160 };

// A metric of one run: a finite value, or why there is none.
struct figure {
    double value;             // NAN where there is a reason
    char reason[REASON_SIZE]; // "": value holds
};

struct tally {
    const struct metric *metric;
    size_t count;
    double value;             // as far as it is known: of TAKE_MEAN the sum
    double *all;              // of a take that needs every value; tally_end() frees it
    char reason[REASON_SIZE]; // the first of the failures that count
};

// Takes a figure, in the order in which they were written. Text that is no
// number makes the whole a failure, as far as it would have counted. Returns whether the
// next one could still change anything.
bool tally_add(struct tally *tally, const char *text, size_t length);

// There is no value, for that reason; the first one holds.
void reason_set(char reason[REASON_SIZE], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// What it comes to. where: "stdout", or the path, for the reason.
void tally_end(struct tally *tally, const char *where, struct figure *figure);

// The matches of a regular expression in a file of any size, line by line.
//
// A line ends at \n, \r\n or \r (a display that overwrites itself writes that). One longer
// than SEARCH_LINE_BYTES is searched in pieces of that length. NUL is a byte as any other.

#define SEARCH_LINE_BYTES 65536

// Adds the group of each match to tally. The last match is looked for from the end of
// the file, and the first one from its start, so that neither reads more than it must.
void search(int fd, const regex_t *regex, struct tally *tally);

// ---- extract.c

// Events of the whole tree of processes, counted by the kernel from the target's
// exec to the end of its last descendant (perf_event_open(2)).
enum { COUNTERS_MAX = PERF_EVENTS };

struct counter {
    const char *name; // NULL: no such counter in the set
    int fd;           // -1: absent
    bool known;       // value holds
    uint64_t value;
};

struct perf_counters {
    struct counter counter[COUNTERS_MAX];
    bool user_only; // the kernel's part is kept from us, in all of them
    double running; // the least share of the time that one was counted in, 1 if always
};

// Makes the counters in the calling process, at rest; a process
// that is forked afterwards counts from its exec on, with its descendants.
// What the machine or its rules refuse is absent, which is no error.
void perf_counters_open(struct perf_counters *counters, enum counter_set set);

// Takes the values, to be called once the tree has ended.
void perf_counters_read(struct perf_counters *counters);

// To be called after the record is written: it takes the kernel
// longer than to read them.
void perf_counters_close(struct perf_counters *counters);

// What is counted of a run, rather than found in its output: events of the kernel, and energy.

// A multiplexed counter has to have counted for so much of the time: what it says of the rest is a
// guess.
#define GAUGE_SHARE 0.9

// What was there before a run.
struct files_before {
    struct stat *status;
    size_t count;
    bool unknown; // no memory to know it
};

// A metric, and how it is found in a run.
struct sought {
    struct metric metric;
    size_t only;          // the number of its target, or ANY_TARGET
    bool applies;         // it is of the target of the run
    struct figure figure; // of the last run
    // Of one that is found in the output:
    struct tally tally;
    bool has_regex; // else it is jq's
    regex_t regex;
    struct files_before before; // of a file
    // Of one that is counted:
    struct perf_ratio ratio;
    int fd[2];      // -1: not open
    bool user_only; // without the kernel's part, which we may not count
    double share;   // of the time in which the events were counted; 1 of what is no event
    struct energy energy;
};

// Gets ready for a metric. False after a message: there is no such event here.
bool gauge_begin(struct sought *sought);

// Opens the events in the calling process, at rest: a process that is forked afterwards
// counts from its exec on, with its descendants.
void gauge_open(struct sought *sought);

// To be called right before the target is started.
void gauge_start(struct sought *sought);

// To be called once the tree has ended. Closes what is open, and sets figure.
void gauge_stop(struct sought *sought);

// The metrics that are found in what the target wrote: after it has ended, so that nothing
// of it is in any figure of the run. And those that were counted meanwhile.

struct extractor {
    struct sought *sought;
    size_t count;
    bool reads;                // some are found in the output
    const char *folder;        // where the target runs, and paths are relative to; NULL: ours
    char **words;              // of the target
    struct sought **of_source; // room for the metrics of one process of jq, and their expressions
    const char **expression;
};

// What a run wrote, to be read from its start; -1: not to be had.
struct extract_from {
    int out_fd;
    int error_fd;
};

// Gets ready for the metrics of the settings. False after a message.
bool extract_begin(struct extractor *extractor, const struct settings *settings);

// To be called right before a run of that target: what was in the files
// already is not of this run.
void extract_before(struct extractor *extractor, const struct target *target);

// To be called right before the target is started, and extract_stop once the tree
// has ended.
void extract_start(struct extractor *extractor);
void extract_stop(struct extractor *extractor);

// Finds all that apply to the target, into extractor->figure. jq runs as a process for
// each source that has its metrics; no child of meter is left.
void extract(struct extractor *extractor, const struct extract_from *from);

// The index of the first metric that was not found; count: none. Only a
// result has to be: a client may say nothing of errors where there were none.
size_t extract_failure(const struct extractor *extractor);

// Each result has been found, and is not 0 either, of which no ratio
// could be made.
bool extract_is_sound(const struct extractor *extractor);

void extract_end(struct extractor *extractor);

// What a run is made of: its target's start and its output, what it uses, its end, and its record.

// ---- a run: account.c, launch.c, output.c, supervise.c, record.c

// Makes the target's group as --accounting says, of the first
// kind that this machine allows. False if the wanted kind cannot be had (never for
// auto and rusage); a message was printed.
bool accounting_find(struct group *group, enum accounting wanted);

// The way of accounting that a group stands for.
enum accounting accounting_of(const struct group *group);

// Removes the groups of meters that were killed; for struct keeper.
void accounting_sweep(void *unused);

// What the tree has used: sums over its processes, but the peak memory, which
// is that of the largest one.
struct usage {
    enum accounting accounting; // where the CPU time comes from
    int64_t user_ns;
    int64_t system_ns;
    uint64_t max_rss_bytes;
    uint64_t major_faults;
    uint64_t minor_faults;
    uint64_t voluntary_switches;
    uint64_t involuntary_switches;
    uint64_t blocks_in;  // of 512 bytes
    uint64_t blocks_out; // of 512 bytes
};

// Adds a process that was waited for, with all that it has waited
// for itself, as wait4(2) gives it.
void usage_add(struct usage *usage, const struct rusage *process);

// Takes the CPU time from the group where it saw no less than was
// summed up; a member that moved to another group makes the sum the better one. Then
// without what the target's process used before it became the target, which both have:
// launch_ns in all, and launch_group_ns of it as a member of the group.
void usage_choose(struct usage *usage, enum accounting kind, const struct group_usage *group,
                  int64_t launch_ns, int64_t launch_group_ns);

// Others' control group, in which the target, a client, has its work done (--account).
struct account {
    struct group group;      // where its CPU time is counted; GROUP_NONE: there is no --account
    int memory_fd;           // the folder where its memory is
    bool resets;             // whether its peak can be that of a run
    uint64_t most_bytes;     // else the most that was seen at a run's ends
    uint64_t resident_bytes; // of its processes, without page cache, when the run began
    struct group_usage before;
};

#define ACCOUNT_OF_NONE ((struct account){.group = GROUP_OF_NONE, .memory_fd = -1})

// Opens the folders of --account: one in v2, or those of cpuacct and memory in v1. False
// after a message.
bool account_open(struct account *account, const struct settings *settings);

// At the ends of a run. account_end: puts what the group has used since then in the place of
// what the target has. False after a message: the group is gone.
bool account_begin(struct account *account);
bool account_end(struct account *account, struct usage *usage, struct group_usage *group);

void account_close(struct account *account);

// What the target writes to its stderr, or more to its stdout than a drain has memory for,
// where that is of use once it has ended: a file without a name on this node's own disk
// ($TMPDIR, else /tmp), of which only the end is kept.
//
// Not the file where it is to be kept: that may be on a shared file system, whose server
// would be part of what is measured. Not memory: a target that writes without end
// would take it from itself and its neighbours.

// How much of a stream is kept: its end.
#define CAPTURE_KEPT_BYTES (1 << 20)

// Makes the file, empty, for appending; on a descriptor above 2 that no exec
// hands on. -1 with errno.
int capture_open(void);

// Forgets what an earlier run wrote. False with errno.
bool capture_empty(int fd);

// Whether it has room for as much again, up to 64 KiB: else what the target wrote may have been cut
// off. False with errno.
bool capture_takes(int fd);

// Writes the end of it to the file at path, which is made or replaced. False
// with errno.
bool capture_keep(int fd, const char *path);

// How much of the output is in memory. It is given back when meter ends.
#define DRAIN_MEMORY_BYTES (64 << 20)

struct drain {
    int kept_fd;   // what came of the last run, to be read with pread(); -1: not made yet
    int pipe_fd;   // where it comes from
    int ending_fd; // an event: take what is there still, and end
    bool keeps;    // all of it is wanted
    bool in_file;  // there was more than fits into memory
    bool running;
    int64_t length; // of what is kept
    int64_t cpu_ns; // what the thread took in the last run, which is no load of others
    int error;      // errno of what could not be kept; 0: all was
    pthread_t thread;
};

#define DRAIN_OF_NONE ((struct drain){.kept_fd = -1})

// A new pipe, whose end for the target is *to_fd; it is the caller's to close. False
// with errno.
bool drain_begin(struct drain *drain, int *to_fd);

// No process of the target is left: takes in what is still in the pipe. Does nothing
// where none is begun.
void drain_end(struct drain *drain);

// Frees what the last run wrote.
void drain_free(struct drain *drain);

// What the target's process reports of itself up to its exec, in a page that it
// shares with meter.
struct launch_report {
    const char *failed_step;    // what could not be prepared, NULL if all could
    int step_error;             // errno of it
    int exec_error;             // errno of a failed exec, 0 if it went well
    char exec_why[512];         // then, in words
    int64_t outside_ns;         // CPU time of the process before it was in the group
    int64_t launch_ns;          // CPU time of the process up to what follows
    struct stall_totals stalls; // then
    int watched;                // by meter, which is about to sleep until something happens
    int64_t start_ns;           // CLOCK_MONOTONIC, right before the exec
    struct timespec start;      // the same moment of CLOCK_REALTIME
    struct timespec uptime;     // and of CLOCK_BOOTTIME, which nobody sets
    struct cpu_list cpus;       // the affinity in force
};

// The target's open files, -1: meter's own.
struct launch_files {
    int in_fd;
    int out_fd;
    int error_fd;
};

struct launch {
    const struct target *target; // of the run that is to come
    pid_t pid;
    struct launch_report *report; // valid once the process has ended or exec'ed
    bool prepared;                // for the run that is to come
    struct launch_files files;
    struct drain drain;        // of its stdout, where that is a pipe
    int captured_error_fd;     // of a capture; -1: not made
    struct stall_files stalls; // of the group that the target is started in
};

// Opens a file on a descriptor that is none of 0, 1 and 2 (which
// may be closed) and that no exec hands on. /dev/fd/N is a duplicate of N, with
// its offset. -1 with errno.
int launch_open(const char *path, int flags);

// Opens where records go; "-": stdout. False after a message.
bool launch_open_output(int *fd, const char *path);

// What a run needs before its target starts: the page, and the files
// for its output that the settings name, opened (and emptied) anew for each run. Does
// nothing when that is already done. False after a message.
bool launch_prepare(struct launch *launch, const struct settings *settings);

// Opens its input, right before the run: whoever has the run made may
// have made the file just now. False after a message.
bool launch_open_input(struct launch *launch, const struct settings *settings);

// Starts the command, in the group if there is one. The group is
// given up if the kernel or our rights do not let a process be started in it.
// False after a message if no process could be made.
bool launch_start(struct launch *launch, const struct settings *settings,
                  const struct signals *signals, struct group *group);

// Lets the target start, which has waited for this: a caller that still
// had to wait for a CPU on its way to sleep would not know what of that was before the
// target's end. To be called right before each sleep.
void launch_watched(const struct launch *launch);

// Closes the target's files.
void launch_close(struct launch *launch);

enum { KEPT_PATH_SIZE = 64 };

// Where the output of a failed run was put, relative to --keep's folder; "": nothing was
// written there, or it could not be kept.
struct kept_paths {
    char out[KEPT_PATH_SIZE];
    char errors[KEPT_PATH_SIZE];
};

// Keeps the output of a run that has failed, before its record is written: who reads that may
// then go and see. That something is lost is said, and is no failure of the run.
void keep_failed(const struct launch *launch, const struct settings *settings,
                 struct kept_paths *paths);

// Keeps that of the last run, as target.stdout and target.stderr.
void keep_last(const struct launch *launch, const struct settings *settings);

// Passes on what was captured, with --show-output.
void keep_show(const struct launch *launch, const struct settings *settings);

struct stops {
    size_t count;
    int64_t total_ns;
    bool total_known; // not where meter was stopped with it: nobody was there to see
    int64_t since_ns; // it is stopped, 0: it is not
    int terminal;     // SIGTTIN, SIGTTOU: the terminal stopped it, 0: none did
};

struct outcome {
    bool ended;                 // the main process; false only if it cannot be killed
    int status;                 // its wait status
    int64_t end_ns;             // CLOCK_MONOTONIC of its end, see ending_ns()
    struct counters after;      // read when meter had seen it
    struct stall_totals stalls; // of the target, until its end
    struct cpu_list cpus;       // that its main process was bound to at its end; none: not known
    struct stops stops;
    struct usage usage;
    bool timed_out;
    int64_t timed_out_ns; // how long it had run then, and was told to end
    int interrupted;      // the signal that ended the run from outside, 0: none
    size_t survivors;     // descendants that outlived the main process by 50 ms
    size_t unkillable;
};

// One run: what it is supervised by and with, and what came of it.
struct run {
    const struct launch *launch;
    const struct group *group;
    const struct signals *signals;
    const struct counter_files *kernel;
    const struct extractor *extractor;
    int own_fd;         // see awake_now()
    int64_t timeout_ns; // after the target's start; 0: none
    int hangup_fd;      // a pipe: the run ends when its other end is closed; -1: none
    // How many processes of the target's group were killed for want of memory before the run, and
    // after it; UNKNOWN: that is not counted.
    int64_t kills_before, kills_after;
    struct counters before;
    struct perf_counters counters;
    struct outcome outcome;
    struct group_usage group_usage;
    struct kept_paths kept;
};

// Waits until the main process and all its descendants have ended,
// and sees to it that they do: at the time-out, when meter is interrupted, and
// after the main process. This process must be a subreaper without other
// children.
void supervise(struct run *run);

// Writes the record (results/schema/jostle.meter.schema.json) as one JSON line to fd.
// False with errno.
bool record_write(const struct run *run, int fd);

// ---- service.c

// meter --service: keeps a server running for the runs of another program.
//
// The first line of --output is {"event":"ready"}. stdin has a line for each command; the
// answer is a JSON line:
//   start    starts it unless it is up; up {"event":"up"} once it is ready
//   restart  ends it first where it is up; `restart N` then starts the command N of --commands
//   mark     {"event":"mark", ...}: what its processes used and waited for since the last mark
//   stop     {"event":"down"}
// Unasked comes {"event":"died","message":...} as soon as it has ended by itself. What cannot
// be done is an {"event":"error","message":...}, and the end. The end of stdin, a terminating
// signal and the death of the caller end the service in good order, and meter.

// Returns meter's exit code.
int service_run(const struct settings *settings, const struct signals *signals);

// What a service's tree of processes has used, and waited for, between two marks.
//
// CPU time is the control group's where there is one; else the sum over the processes that
// live and those that were waited for. Memory is of the processes that live at the second
// mark: the peak since the first of what each has for itself, and shared pages once, as many
// as the process with the most has. Stalls are those of the group's pressure files (cgroup
// v2), and of the thread that waited longest for a CPU: lower bounds, as those of a target.

struct thread_delay {
    pid_t thread;
    int64_t delay_ns;
};

// Running totals.
struct service_totals {
    bool from_group; // else the next two are not known
    int64_t user_ns;
    int64_t system_ns;
    int64_t cpu_ns;
    bool has_stalls;
    uint64_t stall_us[STALL_COUNT];
    struct thread_delay *delays; // by thread, ascending
    size_t delay_count;
    size_t processes;
    bool own_session;      // one of them is in another session than we are
    uint64_t memory_bytes; // since the last reading; 0: nothing lives
};

// The totals of now; peaks of memory begin anew. Fill *totals with zeros
// before the first reading.
void service_totals_read(struct service_totals *totals, const struct group *group,
                         const struct stall_files *files);

// The members of a `mark` event: what grew from one reading to the next,
// elapsed_ns apart.
void service_totals_write(struct line *line, const struct service_totals *before,
                          const struct service_totals *after, int64_t elapsed_ns);

void service_totals_free(struct service_totals *totals);

// The server's processes: started, watched and ended. This process must be a subreaper without
// other children.

struct service_log {
    int fd;     // a capture; -1: there is none
    off_t from; // where the output of the last start begins
};

// From --stop-signal to SIGKILL.
#define SERVICE_STOP_S 10

struct service_process {
    const struct settings *settings;
    const struct signals *signals;
    struct group group; // its own, while it runs and until the next start
    struct service_log out, errors;
    size_t command; // of the settings' targets: the server, also of the next start
    pid_t main;     // of the command that was started; 0: none was
    bool ended;     // that one
    int status;     // then: its wait status
    bool daemon;    // it has left the service to descendants
    bool is_empty;  // no process is left
    bool killed;    // --stop-signal has not ended it
    pid_t probe;    // a command of --ready that runs; 0: none
    bool probe_succeeded;
    char probe_why[256];  // why the last one could not be run; "": it could
    int64_t memory_kills; // when the command was started, as of memory_kills_read()
    bool leave;           // stdin has ended, or a signal has come
};

// Starts the server, in a group of its own. False: text says why not.
bool service_process_start(struct service_process *process, char *text, size_t size);

// Starts the command of --ready, unless it still runs.
void service_process_probe(struct service_process *process, const char *command);

// Waits for so long, or until something has happened: a process has ended, a
// signal has come, stdin has hung up, or (with commands) has something to read. Takes in what
// has happened to processes.
void service_process_wait(struct service_process *process, int timeout_ms, bool commands);

// Whether the server has ended by itself; notices that it is a daemon.
bool service_process_gone(struct service_process *process);

// Ends all processes: --stop-signal to the server, SERVICE_STOP_S later
// SIGKILL to all that is left. False: one cannot be killed.
bool service_process_end(struct service_process *process);

// Ends all of them at once. False: one cannot be killed.
bool service_process_kill(struct service_process *process);

// "exited with status 1", then the text `when`, and the last line that it
// wrote.
const char *service_process_how(const struct service_process *process, const char *when, char *text,
                                size_t size);

// The last line that it wrote to stderr, or else to stdout; "" for none.
void service_process_last_line(const struct service_process *process, char *line, size_t size);

// Gives up the disk's blocks of all but the end. To be called now and then.
void service_log_trim(const struct service_log *log);

// The output since the last start, its last size - 1 bytes at most, with a
// terminating NUL (and with ? for each NUL of its own).
void service_log_text(const struct service_log *log, char *text, size_t size);

#endif

// blame: who slows a program or this node down.
#ifndef BLAME_BLAME_H
#define BLAME_BLAME_H

#include "common/counters.h"
#include "common/cpus.h"
#include "common/grouping.h"
#include "common/processes.h"
#include "common/schedstat.h"
#include "harness/stats/verdict.h"

#include <jansson.h>

// ---- who.c

// The processes that were seen, each with what it did in this window (since the last line of a
// watch, or since the beginning).

// What somebody did in this window.
struct deeds {
    double cpu_s;
    double bytes;                     // to and from disks
    double runnable, beside, at_disk; // in samples: see sample.c
    double preempted_s;               // it ran while a victim wanted that CPU back: switches.c
};

struct who {
    pid_t pid, parent, session;
    uid_t user;
    long long started; // ticks since boot: with the pid, who it is
    char name[64];
    bool victim, own, kernel; // own: this program
    bool scanned;             // by a look at all processes, not only by a sample
    bool ended, hot;          // hot: it ran, or waited for a disk, at the last scan
    bool folded;              // ended, and its parent's family has all of it
    unsigned scan;            // the last one that has seen it
    int cpu;                  // that it was on at that scan; -1: not known
    long long ticks, waited;  // at that scan, as in common/processes.h
    double age_s;             // at that scan, or at the last sample
    uint64_t io_bytes;        // read and written, as seen last
    bool io_seen;
    char *command, *group; // NULL: not asked for yet
    struct who *next;      // of the same bucket
    // In this window:
    struct deeds did;  // its own
    double children_s; // CPU time of children that have ended, without what has a row of its own
    struct {           // of short processes that it started; their CPU time is in children_s
        struct deeds did;
        double most;
        char name[64]; // whoever was seen most
    } family;
};

enum { WHO_BUCKETS = 1024 };

struct whos {
    struct who *bucket[WHO_BUCKETS];
    unsigned scan;
};

// The one that lives, or lived last, under that number; NULL: nobody.
struct who *who_find(const struct whos *whos, pid_t pid);
// That process, added where it was not known. started 0: not known. Ends the program where memory
// runs out.
struct who *who_of(struct whos *whos, const struct process *process, bool *added);
// The nearest of its ancestors that has not ended; NULL: none is known.
struct who *who_parent(const struct whos *whos, const struct who *who);
// Whether it came and went too fast for a row of its own: it is its family's.
bool who_is_short(const struct whos *whos, const struct who *who);
// The next of all, NULL first and last: for (w = NULL; (w = who_next(&whos, w)) != NULL;).
struct who *who_next(const struct whos *whos, const struct who *who);
// Looks up its command line and its control group, once, as long as it lives.
void who_ask(struct who *who);
// The job or container that its control group names ("job 42", "container 3f...", the service
// "ssh.service"); "": none.
void who_label(const struct who *who, char *label, size_t size);
// Its user's name, or number.
void who_user(uid_t user, char *name, size_t size);
// Gives what a short process that has ended did to its parent's family.
void who_fold(const struct whos *whos, struct who *who);
// Forgets those whose parent's family has all of it, who has ended, or all.
enum forgotten { WHO_FOLDED, WHO_ENDED, WHO_ALL };
void whos_forget(struct whos *whos, enum forgotten which);
// The next window: all that was done in this one is forgotten, and who has ended.
void whos_next_window(struct whos *whos);
// Adds what somebody did to what another one has done.
void deeds_add(struct deeds *to, const struct deeds *from);

// ---- victim.c: whose slowness is looked into: a program and its descendants, a control group, or
// everybody

enum victim_kind { VICTIM_NODE, VICTIM_PROGRAM, VICTIM_PID, VICTIM_CGROUP, VICTIM_JOB };

struct victim {
    enum victim_kind kind;
    pid_t pid;                  // the root of the tree, of programs and pids
    char name[64];              // its command's
    struct grouping group;      // of groups and jobs
    char folder[PATH_MAX + 64]; // the group whose quota and pressure count; "": not known
};

// The options of `jostle blame`.

struct blame_options {
    uint64_t pid;
    const char *cgroup, *job, *json;
    int64_t duration_ns, interval_ns; // duration 0: until the program ends
    double at_most;                   // --at-most, 0 to 1; NAN: not given
    bool watch, quiet;
    char **program; // ended by NULL; NULL: none
};

// Whom the options name. Ends the program with exit 2 where there is no such victim, or it can be
// none.
void victim_find(struct victim *victim, const struct blame_options *options);

// Whether it is one of them. parent: its own, where that is known.
bool victim_has(const struct victim *victim, struct who *who, const struct who *parent);
// Finds `folder`, of a tree or a job: that of its first process.
void victim_find_folder(struct victim *victim, const struct who *who);
// "pid 13021 (python3)", "this node".
void victim_text(const struct victim *victim, char *text, size_t size);

// ---- sample.c

// Seconds of a clock.
double clock_s(clockid_t clock);

// A look at all processes: who used the CPUs and the disks since the one before. What has ended
// meanwhile is known from what its parent was told when it waited for it.

struct scan {
    struct processes now;
    struct whos whos;
    struct victim *victim;
    double last_s; // CLOCK_MONOTONIC
    bool ended;    // the victim's root has ended
};

void scan_take(struct scan *scan);
void scan_free(struct scan *scan);

// Samples of who runs or waits for which CPU, and who waits for a disk; and from the kernel, to the
// nanosecond, how long the victim's threads ran and how long they waited for a CPU.

enum { SAMPLE_TASKS = 512, SAMPLE_CPUS = 4096 };

// A thread that is looked at in each sample.
struct task {
    struct who *who;
    pid_t tid;
    int stat_fd, sched_fd; // sched_fd: of the victim's; -1: none
    unsigned scan;         // that it was last wanted by
    struct schedstat counted;
    char state;
    int cpu;
};

struct sampler {
    struct scan *scan;
    size_t count;
    struct task task[SAMPLE_TASKS];
    int loadavg_fd;
    bool schedstat;                         // this kernel has it
    bool ended;                             // the victim's first process
    unsigned short victims_on[SAMPLE_CPUS]; // in this sample: its threads that run or wait there
    // In this window:
    double samples, active;   // active: one of the victim's ran or waited to
    double at_disk, stopped;  // none did, and one waited for a disk (state D), or was stopped (T)
    double occupied;          // CPUs that the victim's threads ran or waited on, a sum
    struct cpu_list *allowed; // on which the victim's threads may run
    double runnable, beside;  // the victim's threads; how often beside another of them
    double running, running_squares; // of the whole node, without ourselves
    int64_t run_ns, wait_ns;
    double preempted_s; // how long others ran on a CPU that was taken from it; NAN: not known
    double unseen_s;    // of that, whoever cannot be seen: switches.c
    unsigned threads;   // of the victim, at most, in a sample
    unsigned gone;      // threads of the victim that have ended: their last ms are not known
    unsigned left_out;  // threads for which there was no room
};

void sampler_open(struct sampler *sampler, struct scan *scan);
// After each scan: looks from now on at the victim's threads, and at those of whoever is hot.
void sampler_choose(struct sampler *sampler);
// A process that was just started as the victim.
void sampler_add(struct sampler *sampler, pid_t pid);
void sampler_take(struct sampler *sampler);
void sampler_next_window(struct sampler *sampler);
void sampler_close(struct sampler *sampler);

// Who got the CPU that was taken from the victim, exactly: each switch of tasks, from the kernel
// (perf_event_open(2), PERF_RECORD_SWITCH_CPU_WIDE). That takes root or CAP_PERFMON, and costs each
// switch of the node some 100 ns: not where there are very many.

struct switches;

// NULL: not allowed, or not possible here.
struct switches *switches_open(void);
// Adds to who->preempted_s what each ran while a victim whose CPU it had wanted that back.
void switches_take(struct switches *switches, struct whos *whos);
// Whether there are so many that to look at them costs the node too much; elapsed_s: since the
// beginning.
bool switches_too_many(const struct switches *switches, double elapsed_s);
// How long somebody ran, in this window, while a victim whose CPU it had wanted that back, s; of
// that *unseen_s is the time of those who are not among whos. Switches of which no record was kept
// are not in it. The next window begins.
double switches_next_window(struct switches *switches, double *unseen_s);
void switches_close(struct switches *switches);

// ---- look.c

// What the kernel counts of the whole node, without root, and of one control group: how much grew
// between two looks. Under JOSTLE_KERNEL_ROOT where that is set.

// The counters at one moment; UNKNOWN: this kernel does not show it.
struct look {
    double time_s;
    double own_s; // CPU time of this process
    struct counters counters;
    int64_t throttled_us; // of the group, or of one around it
    int64_t group_io_us;  // some task of the group waited for a disk (cgroup v2)
    struct network network;
    int64_t disk_bytes;
    int64_t resctrl_bytes; // through memory, of all
};

// NAN: this kernel does not show it. Shares are of the time, 0 to 1.
struct facts {
    double duration_s;
    double cpus;                           // online
    double cpu_some, memory_some, io_some; // some task waited (pressure stall information)
    double steal;                          // of the time of all CPUs
    double throttled;                      // CPUs that the group's own quota held back, mean
    double group_io;                       // some task of the group waited for a disk
    double busy_cpus;                      // of all tasks, this program among them
    double own_cpus;                       // this program
    double swap_in_per_s;                  // pages
    double heat_throttles;                 // of the cores, by heat: how often
    double clock_mhz;                      // mean of the CPUs
    double memory_per_s;                   // bytes, where resctrl has it
    double disk_per_s, network_per_s, loopback_per_s; // bytes
};

// folder: of the group whose quota is looked at; "": none. pid: whose network; 0: ours.
void look_take(struct look *look, const char *folder, pid_t pid);

void facts_between(const struct look *before, const struct look *after, struct facts *facts);
// The most that any program can have waited for disks, of the time; 1: not known.
double disk_most(const struct facts *facts);

// ---- rows.c

// Who did what in a window, a row each: processes of one job or container together, else those of
// one command line, user and session; short ones with the shell, make or script that started them.

enum { ROWS = 64 };

struct row {
    const struct who *lead; // the busiest of them; NULL: programs that nobody saw
    bool family;            // short processes of lead
    unsigned processes;     // of how many it is the sum
    char name[64], user[64], label[64];
    double cpus;
    double blame;  // of the victim's waiting for CPUs, 0 to 1: no more than its CPU time allows
    double beside; // of the time that the victim ran or waited, on the same CPU with it
    double bytes_per_s; // to and from disks
    double at_disk;     // of the time, waiting for a disk
    // While they are summed up:
    struct deeds did;
    double score, most_s, named; // score: how long threads of the victim waited for it, s
};

struct rows {
    size_t count; // of others, by blame, then by CPUs, most first
    struct row row[ROWS];
    char own_label[64]; // of the job or container that this program is in; "": none
    double victim_cpus, victim_bytes_per_s;
    double unseen;      // of the victim's CPU time, what its children that came and went had
    double others_cpus; // all others, also those that have no row
    bool exact;         // blame is from each switch of tasks, not from samples
    double own_preempted_s;
    double own_blame; // of its waiting for CPUs, what its own threads are to blame for
    double displaced; // what it waited behind these because others had its other CPUs
};

void rows_make(struct rows *rows, const struct sampler *sampler, const struct facts *facts);
// Whether this program is in a namespace of processes that does not show those of the machine.
bool is_in_container(void);
// Sorts them by what they moved to and from disks, most first.
void rows_sort_by_disk(struct rows *rows);
// "xz -9 big.tar", "cc1, as (short processes of sh build)".
void row_text(const struct row *row, char *text, size_t size);

// ---- verdict.c

// How much slower the victim is, because of what: from counts and samples. Pure.

// What of the time the victim wanted CPUs, and how much of that it got.
struct wanting {
    double run_s, wait_s;            // of all threads, without what its quota held back
    double active_s, active_error_s; // one of them ran or waited, without that
    double throttled_s;              // of the time, its quota held it back
    double throttled_least_s, throttled_most_s;
    double at_once; // its threads that wanted a CPU at the same time, mean
    bool crowded;   // more than it has CPUs
    double width;   // how many of its threads can run at once, at most
    bool several;   // more than one of them wanted a CPU at a time
    bool sampled;   // from samples, not from what the kernel counts
    bool at_least;  // threads have ended whose last waiting is not known
};

struct wanting wanting_of(const struct sampler *sampler, const struct facts *facts,
                          const struct rows *rows);

enum resource {
    RESOURCE_NONE,
    RESOURCE_CPU,
    RESOURCE_OWN, // CPUs, but behind its own threads
    RESOURCE_QUOTA,
    RESOURCE_HYPERVISOR,
    RESOURCE_DISK,
};

struct judgement {
    enum resource resource;
    double factor, low, high; // times as slow; of disks high alone is known, low is 1
    bool sampled;             // not exact: from samples
    bool at_least;            // threads have ended whose last waiting is not known
    double without_s;         // what the time would be without it
    // Shares of the time, 0 to 1:
    double ran, waited_others, waited_own, at_disk, quota, stolen;
    double active;   // one of its threads ran, or waited for a CPU
    double computed; // of that, what it would have been active alone
    double stopped;  // by a signal, or a debugger
    double blocked;  // in the kernel, for something other than a disk
    double asleep;   // none of its threads wanted anything of that
    char text[800];
};

// "cpu", as records have it.
extern const char *const resource_names[];

void verdict_make(struct judgement *verdict, const struct victim *victim,
                  const struct sampler *sampler, const struct facts *facts,
                  const struct rows *rows);

// ---- gate.c

// --at-most: does anybody else take more than that share? Each fact is a mean of slices of the
// time, with its error: what no slice contradicts is sure.

enum gate_fact {
    GATE_OTHERS, // of the CPUs, what others use
    GATE_CPU,    // of the time, some task waits for a CPU, memory, a disk
    GATE_MEMORY,
    GATE_DISK,
    GATE_STEAL,
    GATE_GAP,    // of a short spin, what it did not get
    GATE_WAITED, // of its time, what the victim waited for CPUs behind others
    GATE_FACTS,
};

struct gate {
    bool of_victim;
    struct look look; // at the end of the last slice
    struct {
        double n, sum, squares;
    } fact[GATE_FACTS];
};

// One more slice of the time, until now.
void gate_slice(struct gate *gate);
// The share, and its error (95 %); false: not known, or no part of this gate.
bool gate_share(const struct gate *gate, enum gate_fact fact, double *share, double *error);
extern const struct gate_words {
    const char *name, *text; // text: with %s for the share
} gate_words[GATE_FACTS];
// Which it is; *worst: the fact that decides. verdict: of the victim.
enum verdict gate_judge(struct gate *gate, const struct judgement *verdict, double at_most,
                        enum gate_fact *worst);
// Whether it is undecided because of too few slices: of one alone nobody knows the error.
bool gate_is_short(const struct gate *gate, enum verdict state);

// ---- answer.c

// What was found in a window, for people and as a record.

struct answer {
    const struct blame_options *options;
    const struct victim *victim;
    const struct sampler *sampler;
    time_t made;
    struct facts facts;
    struct rows rows;
    struct judgement verdict;
    bool ended;        // the victim has
    int status;        // that a program of ours has ended with
    struct gate *gate; // NULL: there is no --at-most
    enum verdict state;
    enum gate_fact worst;
    char note[8][256]; // what the figures do not know
    size_t notes;
};

void answer_make(struct answer *answer);
// The table: the verdict first.
void answer_print(const struct answer *answer);
// A line of a watch.
void answer_print_line(const struct answer *answer);
// jostle.blame/1, a line; to be freed. Ends the program where memory runs out.
char *answer_record(const struct answer *answer);

// ---- history.c

// jostle.blame-history/1 of what a watch, or many calls, have written, a file or all files of a
// folder: for each host and victim who was to blame how often, and at most `rows` rows over the
// time. A new reference; NULL after a message.
json_t *history_json(const char *path, size_t rows);
// Prints it as a line of JSON, for jostle report; page: with more rows. Exit status.
int history_show(const char *path, bool page);

#endif

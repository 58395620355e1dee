// What a run is made of: its target's start and its output, what it uses, its end, and its record.
#ifndef METER_RUN_H
#define METER_RUN_H

#include "extract.h"
#include "settings.h"
#include "signals.h"

#include "common/group.h"
#include "common/json.h"
#include "common/machine.h"

#include <pthread.h>
#include <sys/resource.h>

// accounting_find: makes the target's group as --accounting says, of the first
// kind that this machine allows. False if the wanted kind cannot be had (never for
// auto and rusage); a message was printed.
bool accounting_find(struct group *group, enum accounting wanted);

// accounting_of: the way of accounting that a group is.
enum accounting accounting_of(const struct group *group);

// accounting_sweep: removes the groups of meters that were killed; for struct keeper.
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

// usage_add: adds a process that was waited for, with all that it has waited
// for itself, as wait4(2) gives it.
void usage_add(struct usage *usage, const struct rusage *process);

// usage_choose: takes the CPU time from the group where it saw no less than was
// summed up; a member that moved to another group makes the sum the better one. Then
// without what the target's process used before it became the target, which both have:
// launch_ns in all, and launch_group_ns of it as a member of the group.
void usage_choose(struct usage *usage, enum accounting kind, const struct group_usage *group,
                  int64_t launch_ns, int64_t launch_group_ns);

// Others' control group, in which the target, a client, has its work done (--account).
struct account {
    struct group group;  // where its CPU time is counted; GROUP_NONE: there is no --account
    int memory_fd;       // the folder where its memory is
    bool resets;         // whether its peak can be that of a run
    uint64_t most_bytes; // else the most that was seen at a run's ends
    struct group_usage before;
};

// account_open: of the folders of --account: one in v2, or those of cpuacct and memory in v1. False
// after a message.
bool account_open(struct account *account, const struct settings *settings);

// account_begin: of a run. account_end: puts what the group has used since then in the place of
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

// capture_open: makes the file, empty, for appending; on a descriptor above 2 that no exec
// hands on. -1 with errno.
int capture_open(void);

// capture_empty: forgets what an earlier run wrote. False with errno.
bool capture_empty(int fd);

// capture_keep: writes the end of it to the file at path, which is made or replaced. False
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

// drain_begin: a new pipe, whose end for the target is *to_fd; it is the caller's to close. False
// with errno.
bool drain_begin(struct drain *drain, int *to_fd);

// drain_end: no process of the target is left: takes in what is still in the pipe. Does nothing
// where none is begun.
void drain_end(struct drain *drain);

// drain_free: of what the last run wrote.
void drain_free(struct drain *drain);

// What the target's process reports of itself up to its exec, in a page that it
// shares with meter.
struct launch_report {
    const char *failed_step;    // what could not be prepared, NULL if all could
    int step_error;             // errno of it
    int exec_error;             // errno of a failed exec, 0 if it went well
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

// launch_open: opens a file on a descriptor that is none of 0, 1 and 2 (which
// may be closed) and that no exec hands on. /dev/fd/N is a duplicate of N, with
// its offset. -1 with errno.
int launch_open(const char *path, int flags);

// launch_open_output: where records go; "-": stdout. False after a message.
bool launch_open_output(int *fd, const char *path);

// launch_prepare: what a run needs before its target starts: the page, and the files
// for its output that the settings name, opened (and emptied) anew for each run. Does
// nothing when that is already done. False after a message.
bool launch_prepare(struct launch *launch, const struct settings *settings);

// launch_open_input: opens its input, right before the run: whoever has the run made may
// have made the file just now. False after a message.
bool launch_open_input(struct launch *launch, const struct settings *settings);

// launch_start: starts the command, in the group if there is one. The group is
// given up if the kernel or our rights do not let a process be started in it.
// False after a message if no process could be made.
bool launch_start(struct launch *launch, const struct settings *settings,
                  const struct signals *signals, struct group *group);

// launch_watched: lets the target start, which has waited for this: a caller that still
// had to wait for a CPU on its way to sleep would not know what of that was before the
// target's end. To be called right before each sleep.
void launch_watched(const struct launch *launch);

// launch_close: closes the target's files.
void launch_close(struct launch *launch);

enum { KEPT_PATH_SIZE = 64 };

// Where the output of a failed run was put, relative to --keep's folder; "": nothing was
// written there, or it could not be kept.
struct kept_paths {
    char out[KEPT_PATH_SIZE];
    char errors[KEPT_PATH_SIZE];
};

// keep_failed: of a run that has failed, before its record is written: who reads that may
// then go and see. That something is lost is said, and is no failure of the run.
void keep_failed(const struct launch *launch, const struct settings *settings,
                 struct kept_paths *paths);

// keep_last: of the last run, as target.stdout and target.stderr.
void keep_last(const struct launch *launch, const struct settings *settings);

// keep_show: passes on what was captured, with --show-output.
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
    struct stops stops;
    struct usage usage;
    bool timed_out;
    int64_t timed_out_ns; // how long it had run then, and was told to end
    int interrupted;      // the signal that ended the run from outside, 0: none
    size_t survivors;     // descendants that outlived the main process by 50 ms
    size_t unkillable;
};

// What one run is supervised by and with.
struct supervision {
    const struct launch *launch;
    const struct group *group;
    const struct signals *signals;
    const struct counter_files *kernel;
    int own_fd;         // see awake_now()
    int64_t timeout_ns; // after the target's start; 0: none
    int hangup_fd;      // a pipe: the run ends when its other end is closed; -1: none
};

// supervise: waits until the main process and all its descendants have ended,
// and sees to it that they do: at the time-out, when meter is interrupted, and
// after the main process. This process must be a subreaper without other
// children.
void supervise(struct outcome *outcome, const struct supervision *supervision);

// A run as it is written: see results/schema/jostle.meter.schema.json.
struct record {
    const struct launch_report *report;
    const struct outcome *outcome;
    const struct counter_files *kernel;
    const struct counters *before;
    const struct group_usage *group;
    int64_t own_ns; // CPU time of meter's own, while the target ran
    const struct perf_counters *counters;
    const struct extractor *extractor;
    const struct kept_paths *kept;
};

// record_seconds, record_count: a member that is null where it is not known.
void record_seconds(struct line *line, const char *name, bool known, int64_t time_ns, int decimals);
void record_count(struct line *line, const char *name, bool known, uint64_t count);

// record_write: writes the record as one JSON line to fd. False with errno.
bool record_write(const struct record *record, int fd);

#endif

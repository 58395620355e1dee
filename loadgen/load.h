// The interface that every load implements, and what the frame offers it.
#ifndef LOADGEN_LOAD_H
#define LOADGEN_LOAD_H

// A load is a file (or a folder) of its own that defines one `const struct load`
// and registers it; no other file changes. CONTRIBUTING.md goes through one. The
// frame parses its options, starts its workers, pins them, pauses and resumes
// them, says when the next operation is due, counts, reports, and
// calibrates. A load chooses one of three shapes:
//
//   operate()          one operation at a time; the engine waits until each is
//                      due, times it, and counts it. Blocking I/O, a memory
//                      kernel over one chunk, an allocation.
//   work()             a loop of the load's own, between resume and pause; for
//                      many operations in flight (io_uring), an event loop
//                      (libuv) or another clock (CPU time). It uses the
//                      worker_ functions below.
//   resume(), pause()  no workers at all; called on the control plane's loop.
//
// All times are nanoseconds of CLOCK_MONOTONIC unless the name says otherwise.
// Functions that return int return 0, or -1 after run_fail() said why. What is included here, no
// load includes again.

#include "common/clock.h"
#include "common/cpus.h"
#include "common/json.h"
#include "common/messages.h"
#include "common/options.h"
#include "common/units.h"
#include "demand.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNIT_CPUS  "CPUs"
#define UNIT_BYTES "B/s"
#define UNIT_OPS   "ops/s"
#define UNIT_NONE  ""

#define USUAL_SETTLE_NS 20000000

// Cumulative figures of the load's own (bytes at the device, ...) that the
// frame differences for each mark and interval. The first of them may be counted
// by the workers: see worker_add().
#define LOAD_COUNTERS   8
#define WORKER_COUNTERS 2

struct run;
struct worker;
struct snapshot;
struct uv_loop_s;

// ---- histogram.c ----

// Counts of durations in fixed logarithmic buckets, as in HdrHistogram: 128
// linear buckets for each power of two, so that a reported value differs from
// the true one by less than 1 %. One thread records; others may read and take
// differences meanwhile without a lock.

#define HISTOGRAM_LINEAR_BITS  7
#define HISTOGRAM_LARGEST_BITS 42 // 73 minutes; longer counts as that
#define HISTOGRAM_BUCKETS                                                                          \
    ((HISTOGRAM_LARGEST_BITS - HISTOGRAM_LINEAR_BITS + 1) << HISTOGRAM_LINEAR_BITS)

struct histogram {
    _Atomic uint64_t counts[HISTOGRAM_BUCKETS];
};

// Adds one duration; below 0 counts as 0.
void histogram_record(struct histogram *histogram, int64_t time_ns);
// sum += part.
void histogram_add(struct histogram *sum, const struct histogram *part);
// later -= earlier, for a later and an earlier state of the same histogram.
void histogram_subtract(struct histogram *later, const struct histogram *earlier);
// The value at a quantile (0 to 1): the middle of the bucket that holds the
// ceil(quantile * total)-th smallest. -1 when it is empty. 1 is the maximum.
int64_t histogram_quantile(const struct histogram *histogram, double quantile);
// How many are below a time (a power of two: exactly; else to within its bucket).
uint64_t histogram_below(const struct histogram *histogram, int64_t time_ns);
uint64_t histogram_total(const struct histogram *histogram);
// histogram_quantile() as a number of a record: NAN when it is empty.
double latency_ns(const struct histogram *histogram, double quantile);

// The quantiles that are reported of latencies: as fields, and in words.
enum { QUANTILES = 5 };
struct quantile {
    const char *field, *words;
    double quantile;
};
extern const struct quantile latency_quantiles[QUANTILES];

// ---- pacer.c ----

// Open loop: operations are due when the demand (demand.h) has come to them, whatever became of
// those before.
#define PACER_DEBT_NS 100000000 // what is owed for longer than this is dropped
#define PACER_LATE_NS 1000000   // what starts later than this counts as late

// ---- report.c ----

// What the load says: JSON lines, or text for people. Each line is one write where its reader has
// room for it. Where it has not, it is kept, and written later: nothing here waits for a reader.

struct report {
    bool json;
    bool broken;  // stdout is gone, or cannot be written to
    int error;    // the errno of that
    bool hurried; // somebody waits for the end of the program
    bool is_file; // so that writing never waits for a reader
    pthread_mutex_t mutex;
    char *kept; // `waiting` bytes that are to be written still
    size_t waiting, room;
    uint64_t lost; // lines for which there was no room
};

void report_init(struct report *report, bool json);
// Writes what waits, as far as it does not block. Returns whether some is left.
bool report_flush(struct report *report);
// Writes what is left, and waits for its reader: for ever, or where it is hurried 1 s. False,
// after a message (none where the reader has gone away): some of the report is lost.
bool report_end(struct report *report);
// Opens the record of an event: {"event":"..."
void report_open(struct line *line, const char *event);
// Writes the line to stdout in one piece, closed, and frees it.
void report_write(struct report *report, struct line *line);
// A whole line that ends with its newline.
void report_text(struct report *report, const char *text);
// Text for people on stdout, not with JSON.
void report_print(struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// An "error" or a "warning": an event with a text for machines, a line on stderr for people.
void report_say(struct report *report, const char *event, const char *text);

// What a load takes from others besides CPUs, caches and bandwidth.
enum uses {
    USES_DISK = 1,    // reads or writes files on a disk
    USES_MEMORY = 2,  // fills memory, or the page cache, so that others have less
    USES_UNKNOWN = 4, // a program of the user's: nobody knows
};

// Loads without workers (run->threads == 0), called on the main loop. They call
// run_steady_in() and run_paused() when it is so.
struct load_process {
    void (*resume)(struct run *run);
    void (*pause)(struct run *run);
    // The process that makes the load now, or 0.
    pid_t (*process)(const struct run *run);
    // Ctrl-Z: true stops what makes the load where it is, false continues it. NULL: the terminal
    // reaches it.
    void (*suspend)(struct run *run, bool stopped);
};

struct load {
    const char *name;
    const char *summary;              // one line for `loadgen --help`
    const char *details;              // below the options of `loadgen NAME --help`; or NULL
    const struct option_row *options; // its own, ended by a nameless row
    size_t options_size;              // of the struct that they fill: run->settings
    // The sizes of run->state and of worker->state: the frame makes both, filled with 0 and at a
    // multiple of a cache line, the first before check(), the second before begin() in the worker's
    // thread; and given back after cleanup() and end(). 0: the load makes its own, or needs none.
    size_t state_size, worker_size;
    // Sets of options of which `jostle calib` measures the rate, ended by NULL; one
    // may be "". With none of them only --calib does, where it is named. NULL: its rate
    // means something without, or it has none.
    const char *const *calibrations;
    const char *unit;   // UNIT_...; NULL: UNIT_NONE, or check() chooses
    unsigned threads;   // workers without --threads; 0: as many as there are CPUs
    double quantum;     // base units of one operation, where check() does not set it; 0: 1
    double grain;       // the smallest operation that it can do: at a low rate operations are
                        // smaller than run->quantum, a multiple of this; 0: never smaller
    double steps_per_s; // they get so small that there are about so many a second; 0: 100
    bool timed;         // work() has operations, too, so reports their latency: has_operations()
    bool fills;         // begin() fills memory, which takes long: a signal may end it at once, and
                        // where memory runs out the kernel kills it before all others
    bool pinned;        // each worker on one CPU of its own, else on all allowed
    unsigned uses;      // of enum uses, besides CPUs; check() changes run->uses
    int64_t settle_ns;  // from "all workers run" until steady; 0: USUAL_SETTLE_NS

    // Main thread, before anything starts; any of these may be NULL. check() looks
    // at options that exclude each other: usage_error() (exit 2). Where they depend on options
    // it sets run->unit, run->quantum and run->grain, where the default is not right run->threads
    // and run->rate, and writes what it has chosen into the options that are .measured.
    void (*check)(struct run *run);
    // Opens and allocates what workers share (run->state).
    int (*prepare)(struct run *run);
    // In the worker's thread, pinned already: its own memory, file, ring
    // (worker->state). end() is called also when begin() failed half way.
    int (*begin)(struct worker *worker);
    // One operation of worker->orders.quantum; returns the base units done (bytes; 1), or a
    // negative number after worker_fail().
    double (*operate)(struct worker *worker);
    // Or: runs until worker_running() is false. Nothing may be left in flight.
    void (*work)(struct worker *worker);
    // Main thread, at the end and before the summary, while the workers are idle, but not
    // after a failure: whether what they have done is right.
    int (*verify)(struct run *run);
    void (*end)(struct worker *worker);
    // Main thread, workers are gone, and handles in the loop closed. Also after a failed prepare,
    // or none.
    void (*cleanup)(struct run *run);

    // What it says of itself beyond what the frame says of each:
    // Adds fields to `ready`.
    void (*describe)(struct run *run, struct line *line);
    // Adds fields to a mark, interval or summary. window holds differences.
    void (*fields)(struct run *run, const struct snapshot *window, struct line *line);
    // Adds more fields to a summary alone: what is known only at the end, or never changes.
    void (*summary_fields)(struct run *run, const struct snapshot *window, struct line *line);
    // With a mark, interval or summary: text of its own for people with
    // report_print(), and run_warn().
    void (*notes)(struct run *run, const char *event, const struct snapshot *window);

    // Loads that count for themselves. All are cumulative; the frame takes
    // differences at marks and intervals, in the main thread.
    // Base units offered between two times; NAN, or without this: the integral of the rate.
    // resumed_ns: when the last resume was.
    double (*offered)(struct run *run, int64_t resumed_ns, int64_t from_ns, int64_t to_ns);
    // Base units done since the start (default: the workers' sum; NAN without workers).
    double (*delivered)(struct run *run);
    // CPU time since the start (default: the process's own).
    int64_t (*cpu_ns)(struct run *run);
    // Figures of the load's own, for its fields(), beside what worker_add() has counted.
    void (*count)(struct run *run, double counters[LOAD_COUNTERS]);

    // What few loads need.
    const struct load_process *process; // NULL: it has workers
    const char *arguments;              // "FILE", "-- COMMAND..."; NULL: takes none
    const char *const *without; // common options that it has no use for, ended by NULL; or NULL
    const char *const *by_hand; // its own options that ask something in place of load; likewise
    const char *listens;        // its option with which others connect to it; NULL: none
    // In place of load: a recording, a question. Returns the exit code, or -1: not
    // wanted, make load.
    int (*instead)(struct run *run);
    // For --limit (after check) and each `rate` line: turns text into base units a
    // second for all workers together; on failure returns -1 and writes why into
    // error. NULL: rate_usual(), which it may fall back on.
    int (*rate)(struct run *run, const char *text, double *rate, char *error, size_t size);
    // Pinned loads: the CPU of a worker. NULL: they go round the list.
    int (*worker_cpu)(const struct run *run, unsigned worker);
    // Pinned loads: the CPU of a second thread of a worker. NULL: there is none.
    int (*companion_cpu)(const struct run *run, unsigned worker);
    // Any thread but the worker's: orders have changed. Only for a work() that
    // blocks in something of its own (eventfd).
    void (*interrupt)(struct worker *worker);
};

// Whether it reports the latency of operations.
static inline bool has_operations(const struct load *load)
{
    return load->operate || load->timed;
}

// Of a load whose file names at its beginning, as OPTIONS_OF, the struct that its options fill (see
// common/options.h): that struct, and its .options.
#define settings_of(run)   ((OPTIONS_OF *)(run)->settings)
#define LOAD_OPTIONS(rows) .options = (rows), .options_size = sizeof(OPTIONS_OF)

// Makes a load known to main(): LOADGEN_REGISTER(spin_load).
#define LOADGEN_REGISTER(name)                                                                     \
    __attribute__((section("loads"), used)) static const struct load *const name##_entry = &(name)

// Options that every load has.
struct common {
    uint64_t threads; // 0: as many as there are allowed CPUs
    const char *cpus;
    int64_t duration_ns; // 0: until it is ended; started by hand an hour, see settings.c
    int64_t interval_ns; // 0: no intervals
    const char *limit;   // NULL: no limit
    const char *stages;  // NULL: one rate
    double speed;        // of stages or a profile: 2 takes half of their time
    int arrivals;        // enum arrivals
    const char *phase;   // of the stages; NULL: their beginning
    int64_t nice;
    int sched;                           // enum priority_sched
    const char *calibration;             // file; NULL: the one that is kept
    const char *percent_of, *percent_on; // of which calibration; NULL: of this command line's
    bool json;
    bool control;
    bool dry_run;
    bool describe;
    bool only_words; // of what --describe says
    bool calib;
    bool if_missing;
    bool force; // also what may bring others to an end
};

enum order { ORDER_PAUSE, ORDER_RUN, ORDER_QUIT };

// What workers have to do. generation changes with every change of the others.
struct orders {
    enum order order;
    uint32_t generation;
    uint32_t resumes;   // how many there have been
    int64_t resumed_ns; // when the last one was; all workers' clock
    int64_t paused_ns;  // all pauses before it: times of the demand are so much earlier
    double rate;        // base units a second for all workers; INFINITY: no limit
    double quantum;     // base units of the operation that is taken
    int64_t end_ns;     // no operation is due from then on; INT64_MAX: no such time
};

// A time of the clock as one of the demand, without pauses.
static inline int64_t unpaused(const struct orders *orders, int64_t at_ns)
{
    return at_ns - orders->paused_ns;
}

// Written by the worker alone, read by the control plane at any time.
struct counts {
    _Atomic double amount; // base units done
    _Atomic uint64_t operations;
    _Atomic uint64_t late;
    _Atomic uint64_t dropped;
    _Atomic uint64_t busy_ns;              // inside operations
    _Atomic uint64_t own[WORKER_COUNTERS]; // by worker_add()
};

struct worker {
    _Alignas(64) struct run *run;
    unsigned index; // 0 .. run->threads - 1
    int cpu;        // pinned to; -1: not
    pid_t id;       // of its thread, as the kernel numbers them
    void *state;    // the load's own
    struct orders orders;
    struct demand demand;
    struct pacer pacer;
    pthread_t thread;
    clockid_t cpu_clock; // of its thread, readable from any
    bool started;
    bool running;     // in engine->running
    uint32_t resumed; // the resume of its orders that it is counted of, in engine->resumed
    _Alignas(64) struct counts counts;
    struct histogram service;  // from start to end
    struct histogram response; // from due to end
};

// A calibration that was used; all zero: none.
struct calibration_found {
    char path[PATH_MAX];
    double rate; // 100 %, in base units a second
    double age_s;
    double foreign; // share of the machine's CPUs that others used meanwhile
};

// All figures at one time, or (a window) the difference of two.
struct snapshot {
    int64_t active_ns; // time spent not paused
    int64_t cpu_ns;
    int64_t unlimited_ns; // part of active_ns without a limit
    double offered;       // base units; of a window with unlimited_ns > 0: NAN
    double amount;        // base units
    uint64_t operations, late, dropped, busy_ns;
    double counters[LOAD_COUNTERS];
    struct histogram service, response;
};

// The program's context: one load, run once.
struct run {
    const struct load *load;
    struct common common;
    void *settings;   // struct of the load's options
    void *state;      // the load's own
    char **arguments; // after the options
    int argument_count;
    const char *unit;  // UNIT_...; the base unit of all rates
    double quantum;    // base units of one operation (block size; 1): the most, without a limit
    double grain;      // see struct load
    struct rate limit; // --limit as it was read; without one of value 0
    double rate; // as in force, of a schedule its mean; INFINITY: no limit; NAN: no such thing
    enum arrivals arrivals;
    struct stages *stages;    // stages.c's own: --stages as given; NULL: none
    struct schedule schedule; // made of them; without a stage: none
    double stages_percent;    // the highest rate of --stages that is given in percent; 0: none is
    bool phase_random;        // each resume draws where in it it begins
    int64_t phase_ns;         // there
    unsigned threads;
    double held_bytes;    // of memory, for room_look(); 0: not worth it
    double cached_bytes;  // of the page cache, that it fills; set by check()
    unsigned uses;        // of enum uses
    bool listens;         // others connect to it
    char subject[384];    // what a rate is of besides options: the disk; set by check()
    struct cpu_list cpus; // that workers may use
    double quota_cpus;    // of the cgroup; INFINITY: none
    struct worker *workers;
    struct report report;
    struct calibration_found calibration; // that a percentage was of
    struct engine *engine;                // engine.c's own
    struct control *control;              // control.c's own; NULL without a control plane
    struct uv_loop_s *loop;               // of the control plane
    struct options *options;
};

// Whether the rate follows a schedule (--stages).
static inline bool has_schedule(const struct run *run)
{
    return run->schedule.count > 0;
}

// ---- orders.c: for work() ----

// False once the load has to stop (pause or end); takes over a new rate.
// Cheap: one relaxed load when nothing has changed.
bool worker_running(struct worker *worker);
// Sleeps until time_ns (INT64_MAX: for ever) or until orders change. Returns
// worker_running(). Its wake-up is as exact as clock_nanosleep().
bool worker_sleep_until(struct worker *worker, int64_t time_ns);

// ---- pacer.c: for work() ----

// Waits until the next operation is due, drops what is past the debt, takes
// one, and says when it was due. False: stop. Without a limit: due is now.
bool worker_wait_due(struct worker *worker, int64_t *due_ns);
// Without waiting: takes the next operation if it is due at now_ns. When it is
// not, returns false and *due_ns is the time when it will be.
bool worker_take_due(struct worker *worker, int64_t now_ns, int64_t *due_ns);

// ---- accounting.c: for work() ----

// Counts an operation of `amount` base units. late is judged by start - due.
void worker_done(struct worker *worker, int64_t due_ns, int64_t start_ns, int64_t end_ns,
                 double amount);
// Counters alone, for loads without single operations.
void worker_count(struct worker *worker, double amount, uint64_t operations, uint64_t late,
                  uint64_t dropped);
// Adds to one of the load's own counters: they are the sum of what all workers have added.
void worker_add(struct worker *worker, unsigned counter, uint64_t more);
// CPU time of the worker's thread so far; from any thread while it lives.
int64_t worker_cpu_ns(const struct worker *worker);

// Counters that one thread writes and others read at any time: with one writer no
// read-modify-write is needed.
static inline void counter_add(_Atomic uint64_t *counter, uint64_t more)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more,
                          memory_order_relaxed);
}

static inline uint64_t counter_read(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

// ---- procfs.c ----

// What the kernel counts for one thread of this process since it began: the number behind
// "FIELD:" in /proc/self/task/THREAD/io; NAN: there is none, or the thread is gone.
double thread_io(pid_t thread, const char *field);
// What thread_io() says, for all threads together.
double process_io(const char *field);

// ---- threads.c ----

// Sleeps until then, whatever signals come.
void sleep_until_ns(int64_t time_ns);
// pthread_create() of a thread that hears no signal: they are the main thread's. 0, or errno.
int thread_start(pthread_t *thread, void *(*body)(void *), void *argument);
// count times size bytes, filled with 0, at a multiple of a cache line, so that what threads write
// in it is not shared by accident. For free(); NULL: no memory.
void *zeroed_lines(size_t count, size_t size);

// ---- failure.c ----

// Says a warning (an event, or a line on stderr). From any thread.
void run_warn(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The load cannot continue: an error event, then the summary, exit 1. From any thread; the first
// one counts. In check() the program ends at once, with that exit status. Always returns -1.
int run_end(struct run *run, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define run_fail(run, ...)       run_end(run, EXIT_FAILURE, __VA_ARGS__)
#define run_refuse(run, ...)     run_end(run, 2, __VA_ARGS__) // wrong use
#define worker_fail(worker, ...) run_fail((worker)->run, __VA_ARGS__)
// Keeps why something cannot be, and is -1.
#define BECAUSE(error, size, ...) (snprintf(error, size, __VA_ARGS__), -1)

// ---- engine.c ----

// Base units of one operation at the present rate. Each takes a sleep, which is a context switch:
// so there are no more of them than an even flow needs.
double engine_quantum(const struct run *run);

// ---- accounting.c ----

// The median time of the operations of a window for each base unit that they did: who was
// interrupted in one of them does not matter. NAN: there were none.
double ns_per_unit(const struct snapshot *window);
// What a counter of the kernel has grown by in a window; NAN: it has stepped back, or is not known.
static inline double grown_by(double difference)
{
    return difference < 0 ? NAN : difference;
}
// An amount of a window for each second of it, and for each base unit that was done; NAN: it has
// no time, and there were none.
double per_second(double amount, const struct snapshot *window);
double per_unit(double amount, const struct snapshot *window);

// ---- control.c ----

// Closes all that is open in a loop, and the loop.
void loop_close(struct uv_loop_s *loop);
// Loads without workers: it is at its level after so long, unless it is paused first; it has
// stopped. Main thread.
void run_steady_in(struct run *run, int64_t time_ns);
void run_paused(struct run *run);

// ---- rate.c ----

// What the text of --limit and of `rate` lines means to loads without a meaning of their own: bytes
// for loads that count bytes, operations for those that count operations, percent of a calibration.
int rate_usual(struct run *run, const char *text, double *rate, char *error, size_t size);

// ---- ending.c ----

#define ENDING_SIGNALS 4
extern const int ending_signals[ENDING_SIGNALS]; // SIGINT, SIGTERM, SIGHUP, SIGQUIT

// Whether the signal does nothing: whoever starts a program with a signal ignored wants it so
// (nohup SIGHUP; a shell without job control SIGINT and SIGQUIT of what it starts with &), as
// with every POSIX utility. SIGTERM ends a load always.
bool ending_is_left_out(int number);

// ---- guard.c ----

// For a new process that outlives this one, whatever ends it, to clean up behind it: gives it a
// name of its own, which takes the memory of argv, and a process group of its own without a
// terminal, so that no signal to loadgen's group, none of its terminal, and none to all that are
// named loadgen reaches it. It stays in loadgen's session (common/machine.h).
void guard_begin(void);

// ---- room.c ----

// Memory that a load holds. It is refused where it would not fit, and given back, by ending
// the load with the reason, where memory gets short later: a load must not bring the OOM
// killer to its neighbours. --force does without both.

// Main thread, in check(): all that the load is going to hold, in bytes, on one NUMA node
// (-1: any). What does not fit is refused: exit 2 with "WHAT SIZE: this machine has N left:
// ADVICE, or --force". A second call replaces the first.
void room_claim(struct run *run, double bytes, int node, const char *what, const char *advice);
// For a load that cannot say (a command): it is watched without a claim.
void room_claim_unknown(struct run *run);

// For a worker that fills memory, before every room_step() bytes: false once memory is short,
// or the run has failed already: then it has failed, and the worker has to stop.
bool room_for_more(struct run *run);
// So many that all workers, and those of another load, cannot fill what is left within one.
size_t room_step(const struct run *run);

// Bytes of a page of this system: 4 KiB, on some aarch64 and ppc64le 64 KiB.
static inline size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

#endif

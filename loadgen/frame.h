// What the files of the frame share: loads do without it. Each section says of which file it is.
#ifndef LOADGEN_FRAME_H
#define LOADGEN_FRAME_H

#include "load.h"

#include <jansson.h>
#include <signal.h>
#include <sys/types.h>
#include <uv.h>

// ---- settings.c: the command line of a load: its own options, and those that every load has ----

// Parses `loadgen LOAD ...` (argv[0] is replaced) into run->common, run->settings
// and run->arguments; wrong use ends the program with exit 2.
void settings_parse(struct run *run, int argc, char **argv);
void settings_free(struct run *run);

// The canonical text of what a rate depends on, with the threads that are really
// used: "--kernel triad --threads 2". False: it does not fit.
bool settings_measured(const struct run *run, char *text, size_t size);
// Such a text of all the load's own options that differ from their defaults, and of the
// workers' CPUs where others would be chosen without --cpus.
bool settings_canonical(const struct run *run, char *text, size_t size);

// After the options are known, and checked: without --control and --duration the duration
// becomes LENGTH_BY_HAND_NS. Says so to people, as the first line of all.
void length_choose(struct run *run);

// ---- priority.c ----

// --nice and --sched: how much the load yields to others. Threads and commands that are
// started later inherit both.

extern const char *const priority_scheds[]; // of --sched, ended by NULL

// Main thread, before any other is started. What is not allowed ends the program: exit 2.
void priority_set(struct run *run);

// ---- stages.c: --stages, --arrivals and --phase ----

// Before check(): reads --stages with the file that it may name, and what goes with it; wrong use
// ends the program with exit 2. Sets run->stages (NULL: none), run->stages_percent and
// run->arrivals.
void stages_read(struct run *run);
// After check(): makes run->schedule of run->stages. run->rate becomes its mean, and without
// --control and --duration it runs once. 0, or -1 and why in error.
int stages_choose(struct run *run, char *error, size_t size);
// Adds what a load says of its stages and arrivals, and the field phase_s, if it has some.
void stages_describe(const struct run *run, struct line *line);
void stages_put_phase(const struct run *run, struct line *line);
void stages_free(struct run *run);

// ---- describe.c: --describe and --dry-run ----

// After stages_read(): the line `words`, what the words of the command line say on any machine,
// so that nobody else has to know the options of a load.
void describe_words(struct run *run);
// After check(): the line `plan`, what would be started here, and where; for people a text. 0.
int describe_plan(struct run *run);

// ---- engine.c ----

// Workers: threads that are started paused, run, are paused, and end. Callable
// from the main thread only. Used by the control plane; a load's calibration
// may drive it by itself.

// What the engine reports to its driver, from any thread.
enum engine_event { ENGINE_RUNNING, ENGINE_IDLE, ENGINE_FAILED };
typedef void engine_listener(void *context, enum engine_event event);

// Makes run->engine, has the load prepare, and starts run->threads workers, paused; returns when
// all have begun. listener may be NULL. 0, or -1 with the reason in failure_of().
int engine_start(struct run *run, engine_listener *listener, void *context);
// Before the first resume: operations become due, and time counts, for exactly
// so long after it, whenever the pause that follows may come.
void engine_set_length(struct run *run, int64_t length_ns);
void engine_resume(struct run *run);
// Asks the workers to pause; engine_wait_idle() waits until they have.
void engine_pause(struct run *run);
void engine_wait_idle(struct run *run);
// At the end, while the workers are idle: what was due and nobody will do any more is dropped.
void engine_drop_owed(struct run *run);
// A new rate from now on.
void engine_set_rate(struct run *run, double rate);
// Pauses, ends and joins all workers. Safe to call twice.
void engine_stop(struct run *run);
void engine_free(struct run *run);

// ---- pinning.c ----

// The CPUs that the workers are on: of pinned ones no more than there are workers.
void engine_worker_cpus(const struct run *run, struct cpu_list *cpus);
// Where the kernel lets the workers (or the load's process) run at this moment,
// all of them together: others may have changed it. Empty when there are none.
void engine_cpus(const struct run *run, struct cpu_list *list);
// Whether they are not where they were put: a cpuset was changed, or somebody has moved them.
bool engine_is_moved(const struct run *run);

// ---- failure.c ----

// Why the load failed (run_fail() and worker_fail() of load.h, or no memory for an engine), or
// NULL.
const char *failure_of(const struct run *run);

// ---- accounting.c ----

// What a run has offered, done and used so far.

// Figures since the start.
void accounting_snapshot(struct run *run, struct snapshot *snapshot);
// window = later - earlier.
void accounting_difference(const struct snapshot *later, const struct snapshot *earlier,
                           struct snapshot *window);

// ---- room.c ----

// Main thread, after check(): the same of what was claimed and what all workers need besides.
void room_claim_workers(struct run *run);
// Looks whether memory is short, and then fails the run. Milliseconds until the control plane has
// to look again; 0: never, as the run has failed, or holds so little that its end would not help.
uint64_t room_look(struct run *run);

// ---- control.c ----

// The control plane: stdin's lines, signals, timers, on one libuv loop in the
// main thread. Runs a checked load until it ends; returns the exit code.
int control_run(struct run *run);

// ---- calibration.c ----

// What `--limit 50%` is half of: rates that were measured once and kept.
//
// A calibration is known by the host, its CPU (see common/save.h), the load, the canonical text
// of those of its options that a rate depends on (.measured), and what it is of besides:
// the CPUs of pinned workers, and run->subject. It is one line of
// JSON (jostle.calibration/1, see results/schema/) in
//
//     ${XDG_CACHE_HOME:-~/.cache}/jostle/calibration/HOST.LOAD.OPTIONS.json
//
// or in the file of --calibration.

// The share of the machine's CPUs that others may use while a rate is measured: beyond it that is
// said whenever the rate is used.
#define CALIBRATION_BUSY 0.05

// What a rate is measured of.
struct calibration_key {
    char host[256];
    char machine[192]; // "AMD EPYC, 2 CPUs"
    const char *load;
    char options[CPUS_TEXT + 1024]; // "--kernel triad --threads 2"
    char subject[CPUS_TEXT + 1536]; // "CPU 0-1", "vda1 (ext4)"; "" where options say it all
};

// After check(). Options too long for a key end the program with exit 2.
void calibration_key(const struct run *run, struct calibration_key *key);
// What a record (jostle.calibration/1; NULL: none) says, if it is one of the key: found without
// its path. False, and *found as it was: it is not.
bool calibration_take(const json_t *record, const struct calibration_key *key,
                      struct calibration_found *found);
// The kept file of a key, whether it is there or not; -1: there is no place for one.
int calibration_path(const struct calibration_key *key, char path[PATH_MAX]);
// The calibration that fits this run: that of --calibration FILE, else the kept one.
// 0; or -1, and error says what was wrong and what to do.
int calibration_find(const struct run *run, struct calibration_found *found, char *error,
                     size_t size);
// Finds it for run->calibration, and tells people what was found and how old it is.
int calibration_use(struct run *run, char *error, size_t size);
// The percentage of a calibration that --limit is, or the highest one of --stages; 0: none is one.
double calibration_percent(const struct run *run);
// After check(): whether the calibration of this run is kept.
bool calibration_is_kept(const struct run *run);
// Adds the fields calibration and calibration_age_s, if one was used.
void calibration_describe(const struct run *run, struct line *line);

// ---- rate.c ----

// What the text of --limit and of `rate` lines means to a load.

// Base units a second for all workers together into *rate. On failure returns -1
// and writes what was wrong and what to do into error.
int rate_of(struct run *run, const char *text, double *rate, char *error, size_t size);

// ---- calibrate.c ----

// --calib: measures a load without a limit, and keeps its rate. After check(), of which it ends
// what that has begun; returns the exit status, after it has said what went wrong.
int calibrate(struct run *run);

// ---- ending.c ----

// The signals that end a load.

// Where nothing better is in force, SIGQUIT ends the program at once, with exit status 131
// (128 + 3, as a shell would show it) but without its core.
void ending_without_core(void);

// First in main(): whoever started us may have blocked these signals, or have ignored SIGCHLD, so
// that no child could be waited for. And ending_without_core().
void ending_begin(void);

// While workers fill their memory in begin(), which takes long, the control plane
// waits for them and hears no signal: until all are done, a signal ends the process
// as it would any other. Nothing is left behind by that.

struct prefault {
    _Atomic unsigned left;                   // workers that have not filled yet
    struct sigaction before[ENDING_SIGNALS]; // what was in force
};

// Main thread, before they begin.
void prefault_begin(struct prefault *prefault, unsigned workers);
// Each worker, at the end of its begin(); the last one puts all back.
void prefault_done(struct prefault *prefault);

// ---- suspend.c ----

// Ctrl-Z (SIGTSTP) and `fg` (SIGCONT). A load with workers needs nothing of this: the kernel stops
// and continues its threads. One that is another process, out of the terminal's reach, is stopped
// before loadgen itself stops, and continued with it. SIGSTOP cannot be noticed.

// From now on until run->loop is closed, which closes the handle. It does nothing for a load that
// cannot suspend, and where whoever started us ignores SIGTSTP, as a shell without job control
// does.
void suspend_watch(uv_signal_t *handle, struct run *run);

// ---- events.c ----

// What a load says when it is ready: a line of JSON, and nothing to people.
void events_ready(struct run *run);
// What a load did between two times: a mark, an interval, all of it (summary). A line of JSON;
// mark: its name, or NULL.
void events_write_window(struct run *run, const char *event, const char *mark,
                         const struct snapshot *window);
// A window as text for people.
void events_print_window(struct run *run, const char *event, const struct snapshot *window);

// ---- commands.c ----

// A control line: what it asks of the load. Pure.

enum command_kind {
    COMMAND_WRONG,
    COMMAND_PAUSE,
    COMMAND_RESUME,
    COMMAND_RATE, // argument: the rate, as text
    COMMAND_MARK, // argument: its name, any bytes but NUL and newline
    COMMAND_QUIT,
};

struct command {
    enum command_kind kind;
    const char *word;     // the first word, for a message
    const char *argument; // what follows the blank; NULL: none
};

// Reads a line of `length` bytes without its newline, ended by NUL; a carriage return at its end
// is left out. A line with a NUL in it is wrong. The words are in text, which is written to.
struct command command_read(char *text, size_t length);

// Bytes in, whole lines out. Pure: it reads no file.

enum { LINES_LONGEST = 4096 }; // bytes of a line, with its newline

struct lines {
    char text[LINES_LONGEST]; // not taken yet
    size_t used;
    bool skipping; // the rest of a line that was too long
};

enum lines_answer {
    LINES_NONE,     // no whole line is there
    LINES_ONE,      // one was taken
    LINES_TOO_LONG, // one is longer than LINES_LONGEST: all of it is left out; said once
};

// Where the next bytes go, and for how many there is room: none while LINES_LONGEST bytes of
// whole lines wait to be taken.
char *lines_room(struct lines *lines, size_t *room);
// So many bytes have been put there.
void lines_added(struct lines *lines, size_t count);
// Takes the next line, without its newline but ended by NUL, into text; it may hold NULs itself,
// hence *length.
enum lines_answer lines_take(struct lines *lines, char text[LINES_LONGEST], size_t *length);

// ---- watch.c ----

// While a load under a harness prepares (a work file of many GiB, all of memory) nobody reads
// its stdin: watches over the end of the harness for so long.

struct watch;

// Sends SIGTERM to this process as soon as stdin's writers are gone and nothing is left to be
// read, and when `parent` ends, which holds for ever. NULL: out of memory or of threads.
struct watch *watch_start(pid_t parent);
// From then on end of file on stdin is the caller's to see. Takes NULL.
void watch_stop(struct watch *watch);

#endif

// What the conductor of one experiment holds, and what its sources call of each other: main.c opens
// it, commands.c does what bash says, run_loop.c makes the runs, wait.c waits, say.c speaks.

#ifndef CONDUCT_CONDUCT_H
#define CONDUCT_CONDUCT_H

#include "course.h"
#include "folder.h"
#include "sources.h"
#include "status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// What the program is told to do.
struct request {
    const char *experiment; // the folder of the experiment
    const char *written;    // of its experiment.json, see lock_stamp; NULL: not known
    uint64_t pid;           // of jostle, for status.json
    uint64_t ready_s;       // a load that is not ready by then has failed
    uint64_t steady_s;      // or that has not answered anything else
    bool quiet;
};

// What bash does around a run, in this order; of the orders by which it is asked to.
enum hook {
    HOOK_PREPARE,  // before anything of the run: --prepare, --cold, --setting
    HOOK_RESUMED,  // the loads are steady: have they the settings of their condition?
    HOOK_RAN,      // the target has ended, the loads run: have they still?
    HOOK_SETTLED,  // all have ended or are paused: turn the settings off
    HOOK_RECORDED, // the record is kept: --conclude
    HOOKS,
};
extern const char *const hook_names[HOOKS];

// How a condition's runs are made.
struct part {
    int64_t variant; // which of meter's commands
    int64_t service; // and of the commands of the service's meter
    bool hook[HOOKS];
};

// What bash wants to be told of the progress.
enum shown {
    SHOWN_NOTHING,
    SHOWN_FORECAST, // once, how long the rest will take
    SHOWN_LINE,     // each run, but few times a second
    SHOWN_ALL,      // each run
};

extern const char *const shown_names[SHOWN_ALL + 2];

// The runs that are being made.
struct making {
    bool is_over;         // none follows: it was ended, failed, or nobody hears us
    bool is_run;          // one is made now: that the service has died ends it
    bool death_said;      // that was said already
    bool owed;            // bash has not carried out an order yet
    enum shown shown;     // said so far: NOTHING where nothing more is to be said
    int64_t most_ns;      // --max-time; 0: none
    size_t least_runs;    // that are made however long they take
    size_t runs;          // that were kept and count
    int64_t since_ns;     // when the first run that counts began, of CLOCK_BOOTTIME; 0: not yet
    int64_t shown_ns;     // when a line was shown last
    int64_t delay_ns;     // the longest round trip of a mark of the run to another node
    bool service_is_new;  // and has been warmed only
    size_t service_block; // that it was started for
};

struct conduct {
    const struct request *request;
    FILE *output;
    struct lines commands; // what bash says
    // Does what a line of it says, also while something is waited for: see commands_take.
    bool (*take)(struct conduct *conduct, char *line);
    char *host; // the name of this machine
    struct experiment experiment;
    struct course course;
    struct folder folder;
    struct sources sources;
    struct status status;
    struct part part[MAX_CONDITIONS];
    size_t parts; // that bash has described
    struct making making;
    bool meter_ends;  // meter says that a run has ended before it has found its figures
    json_t *probe;    // the sample made before the next run; NULL: none
    json_t *undone;   // [{load, text}, ...] of the next run: settings that its loads have undone
    json_t *warnings; // [{load, condition, text}, ...] of this session
    json_t *after;    // the counters at the end
    json_t *steps;    // [{step, name, ...}, ...], or a text why there are none
    size_t earlier;   // runs that an earlier session left
    bool has_begun, has_ended;
    bool has_left;     // what is to be undone after the experiment is not
    bool service_died; // since it came up
};

// ---- earlier.c

// Takes over what an earlier session left. *set_aside: how many of its runs cannot be used. False
// with `folder.error` set, or after a message on stderr.
bool earlier_take_over(struct conduct *conduct, size_t *set_aside);

// ---- say.c

// Writes one line. False if nobody reads it.
bool conduct_answer(struct conduct *conduct, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Answers `failed`: because of that source ("-": our own reason); no run follows. False if nobody
// reads it.
bool conduct_fail(struct conduct *conduct, const char *source, const char *text);

// An answer is one line of fields with tabs in between: makes blanks of what would end either.
char *conduct_one_field(char *text);

// Keeps a warning for the result, and prints it, once. `source` NULL: of the harness.
void conduct_warn(struct conduct *conduct, const struct source *source, const char *text);

// Writes experiment.json with what was added to it. False after a message on stderr.
bool conduct_write_experiment(const struct conduct *conduct);

// ---- wait.c

// What a wait came to.
enum waited {
    WAITED_ALL,    // each source has sent what was awaited
    WAITED_SILENT, // one has not, in the time there was
    WAITED_DIED,   // the service has died while a run is made
    WAITED_OVER,   // there is nothing more to wait for, which has been said
};

// Awaits an event of a source. A source that is gone fails the wait, unless it is optional.
void await_event(struct source *source, const char *event);

// Waits for all that is awaited, and does what bash says meanwhile; limit_ns -1: however long.
enum waited wait_events(struct conduct *conduct, int64_t limit_ns);

// Waits so long, or until bash ends the runs: false.
bool wait_rest(struct conduct *conduct, int64_t length_ns);

// Whether what has ended did so by itself. False: the runs are over, as what ends jostle has ended
// it first, which bash says a moment later.
bool wait_is_failure(struct conduct *conduct);

// Has bash carry out an order, a line as printf makes it. False: the runs are over.
bool wait_order(struct conduct *conduct, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Waits until all that are awaited have sent this event: as long as such a source may take for it.
// False: the runs are over.
bool wait_answered(struct conduct *conduct, const char *event);

// ---- run_loop.c

// Makes one run after another until the course says stop, or bash ends them. False if nobody hears
// it.
bool runs_make(struct conduct *conduct);

// ---- commands.c

// Does what a line of bash says, which is cut to pieces. False if no answer can be written.
bool commands_take(struct conduct *conduct, char *line);

// ---- assemble.c

// A new reference to the jostle.run/1, with its flags, of the run that is `next`; `meter`: its
// jostle.meter/1, mark_delay_s: the longest round trip of the marks to other nodes.
json_t *assemble_run(struct conduct *conduct, const json_t *meter, double mark_delay_s);

// Where hyperfine is the engine, puts the figures that it has exported in the place of meter's,
// which are of hyperfine and target together. What hyperfine does not report is null. False where
// it has exported no result.
bool assemble_hyperfine(struct conduct *conduct, json_t *meter);

// ---- stop.c

// Answers what ended the runs; of one that failed how, and what to do. False if nobody hears it.
bool stop_say(struct conduct *conduct);

#endif

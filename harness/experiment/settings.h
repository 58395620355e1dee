// The settings of an experiment, which a command line or a cell of a campaign gives.
#ifndef EXPERIMENT_SETTINGS_H
#define EXPERIMENT_SETTINGS_H

#include "common/memory.h"
#include "common/options.h"
#include "common/setting.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How an experiment is measured: the options of jostle run and slowdown that are
// part of the experiment (and so of its record), which a campaign may give, too.

#define NO_RUN_LIMIT 999999999 // of max_runs, once complete; in records null

enum engine { ENGINE_METER, ENGINE_HYPERFINE };

struct settings {
    double error, confidence;
    uint64_t min_runs;         // 0: not given
    uint64_t max_runs;         // 0: not given; NO_RUN_LIMIT
    uint64_t runs;             // 0: not given
    int64_t max_time_ns;       // 0: none
    uint64_t runs_before_time; // of each condition: max_time_ns ends nothing before them
    uint64_t warmup, discard_warmup;
    struct option_list metric; // as it was given: metrics_make() reads it
    const char *decide;        // NULL: not given
    int statistic;             // enum statistic
    struct option_list variant;
    struct option_list parameter_list, parameter_scan; // "VAR=A,B", "VAR=MIN..MAX"
    const char *parameter_step;                        // NULL: not given
    const char *shell;                                 // NULL: only where it takes one
    const char *setup, *cleanup;                       // NULL: none
    struct option_list prepare, conclude;              // one for all variants, or one for each
    const char *out, *errors; // where the target's output goes; NULL: not given
    const char *input;        // NULL: not given, /dev/null
    const char *service;      // a command line; NULL: none. Then:
    const char *ready, *stop_signal, *service_cpus; // the last one NULL: not given
    int64_t ready_timeout_ns;
    bool keep_service;
    uint64_t service_warmup;
    bool cold;
    struct option_list cold_path;
    int64_t timeout_ns;         // 0: none
    const char *ignore_failure; // NULL: no failure; else a list of exit codes, or all-non-zero
    bool strict;
    bool no_probe;
    const char *account, *in;            // see account_check(), container_check(); NULL: not given
    const char *target_cpus, *load_cpus; // NULL: not given
    const char *place, *place_cpus;      // NULL: not given
    int64_t nice, load_nice;             // OPTION_NOT_GIVEN
    struct option_list setting;          // see adjustment_check_own()
    bool pause;                          // neighbours that run already may be
    int64_t settle_ns;
    int64_t seed; // OPTION_NOT_GIVEN
    int engine;
    // Only slowdown has these.
    bool aa;
    double at_most;     // 0: no gate
    double same_within; // 0: not given
    double until;       // of protect only; 0: not given
    const char *washout;
    // Only capacity has these; NULL: not given.
    const char *slo, *vary;
};

// Options of run, slowdown and capacity; those of slowdown only, of capacity only,
// and of protect besides those of slowdown.
extern const struct option_row settings_rows[], slowdown_rows[], capacity_rows[], protect_rows[];
// The names of settings that say nothing without `service`; NULL ends them.
extern const char *const service_settings[];

// The exit statuses of slowdown, for its help.
#define GATE_EXIT_HELP                                                                             \
    "Exit status:\n"                                                                               \
    "  0  measured (--at-most: below)       1  failure of jostle or of a load\n"                   \
    "  2  wrong use                         3  --at-most: above\n"                                 \
    "  4  --at-most, --same-within: undecided\n"                                                   \
    "  5  the target failed\n"                                                                     \
    "  129, 130, 143  interrupted by a signal\n\n"

// Checks of an option: "VAR=A,B,C", "VAR=MIN..MAX" or "VAR=MIN..MAX..STEP", a step.
bool parameters_check_list(const char *text, char *error, size_t size);
bool parameters_check_scan(const char *text, char *error, size_t size);
bool parameters_check_step(const char *text, char *error, size_t size);

// A setting of a campaign by its name; NULL: there is none.
const struct option_row *setting_find(const char *name);
// Whether an experiment that is continued may have another value of what experiment.json calls so.
bool settings_may_change(const char *name);
// Whether a setting of a campaign says when to stop: one with other limits is the same experiment,
// and its records have all that these need.
bool setting_is_limit(const char *name, const char *text);
// Picks the limits of a cell's settings. A new reference.
json_t *settings_limits(const json_t *settings);

// A check of the option --metric.
bool metrics_check(const char *text, char *error, size_t size);

// Everything not given, presets included.
void experiment_settings_begin(struct settings *settings);
// Completes what depends on others and on the environment (JOSTLE_NO_PROBE), and checks what
// must fit together; wrong use ends the program.
void settings_complete(struct settings *settings);
// How the looks of a gate are planned (harness/record/settings.h): up to max_runs, or without such
// a limit for as long as the time is, and up to a number of blocks where that is not known. A new
// reference.
json_t *settings_looks(const struct settings *settings);
// Refuses what says nothing without variants; has_variants: there are some.
void settings_check_variants(const struct settings *settings, bool has_variants);
// `settings` of experiment.json but for the metrics: times in seconds, what was not given
// null.
json_t *settings_to_json(const struct settings *settings);

// The cell of a campaign: a file (jostle.cell/1) that gives command, loads and
// settings. What is on the command line, too, is taken from there.

// Reads a cell; wrong use ends the program when it is none.
json_t *cell_read(const char *file);
// Sets the settings of the cell that are not on the command line.
void cell_apply(const json_t *cell, struct arena *arena, struct settings *settings,
                const struct options *given);
// The cell's command; no words: it has none. Its texts stay the cell's.
struct option_list cell_command(const json_t *cell, struct arena *arena);
// The cell's loads, each as --load has it.
struct option_list cell_loads(const json_t *cell, struct arena *arena);

// Settings of the kernel as a part of a condition: on its loads, on the target, on both, or on the
// service whose client the target is. They are written in brackets before a load,
// NAME='[cpu.weight=10 target:nice=-5] cpu --threads 2'.

#define TARGET_PREFIX  "target:"
#define SERVICE_PREFIX "service:"

// What a condition sets: settings as they were written, of which common/setting.h has the names.
struct adjustment {
    struct option_list load, target, service;
    const char *on, *off;   // commands of --setting, a line each; NULL: none
    struct option_list own; // the names of the --setting that these are of, in order
};

// Takes "[SETTING...]" off a spec. `own`: those of --setting, NAME=on: COMMAND; off: COMMAND.
// Returns what follows; without brackets that is the spec. Wrong use ends the program.
const char *adjustment_read(struct adjustment *adjustment, struct arena *arena, const char *name,
                            const char *spec, const struct option_list *own);

// Ends the program with exit 2 where this machine does not let us set one of them.
void adjustment_try(const struct adjustment *adjustment, const char *name);

bool adjustment_is_none(const struct adjustment *adjustment);

// Whether a target or service with these settings leaves the control group in which its own time is
// counted.
bool settings_move(const struct option_list *settings);

// A row's check of --setting.
bool adjustment_check_own(const char *text, char *error, size_t size);

// A --setting: its parts, and where jostle keeps of it (in ${XDG_CACHE_HOME:-~/.cache}) what others
// have to know. Two are the same where name or `off` are.
struct own_setting {
    const char *name, *on, *off;
    const char *note;     // the file that is there while it is on
    const char *locks[2]; // the files that are locked by who uses it, in order
};

// Ends the program where there is no place to keep that the setting of that name is on.
void own_setting_check_place(const char *name);

// Reads one, which has such a place.
struct own_setting own_setting_read(struct arena *arena, const char *text);

// {"load": [text, ...], "target": [...], "service": [...], "own": [...], "on": ..., "off": ...}, a
// new reference.
json_t *adjustment_to_json(const struct adjustment *adjustment);

// Containers and jobs as they are: --account says whose control group is counted where the target
// is only a client of it, --in that the target runs in a container of its own.

// cgroup:PATH, podman:NAME, docker:NAME or job; for struct option_row.
bool account_check(const char *text, char *error, size_t size);

// The folders of the group now: of version 2 one, of version 1 those of cpuacct and memory. How
// many; where there is none, wrong use ends the program.
size_t account_folders(struct arena *arena, const char *text, const char *folders[2]);

// podman:IMAGE or docker:IMAGE; for struct option_row.
bool container_check(const char *text, char *error, size_t size);

// The words that run the target's words in a container of that image (podman:IMAGE).
struct option_list container_words(struct arena *arena, const char *where,
                                   const struct option_list *words);

// A load "podman IMAGE: COMMAND": its command, with engine and image. NULL, as both are: it is
// none.
const char *container_load(struct arena *arena, const char *text, const char **engine,
                           const char **image);
// What runs a command in a container: ENGINE IMAGE COMMAND... follow it (lib/in-container).
const char *container_program(struct arena *arena);

// Where target, loads and service sit, from --place, --target-cpus, --load-cpus and
// --service-cpus. With a service, which is what loads disturb, --place is seen from it.

struct placed {
    const char *target_cpus;  // the target is pinned to, in every condition; NULL: not pinned
    const char *load_cpus;    // the same of the loads on this node
    const char *service_cpus; // of the service
    json_t *record;           // `placement` of experiment.json
};

// What the machine, or what is allowed of it, does not have is wrong use and ends
// the program. A warning goes to stderr.
void placed_find(struct placed *placed, struct arena *arena, const struct settings *settings);
void placed_free(struct placed *placed);

#endif

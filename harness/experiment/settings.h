#ifndef EXPERIMENT_SETTINGS_H
#define EXPERIMENT_SETTINGS_H

#include "arena.h"

#include "common/options.h"

#include <jansson.h>

/* How an experiment is measured: the options of jostle run and slowdown that are
 * part of the experiment (and so of its record), which a campaign may give, too. */

enum engine { ENGINE_METER, ENGINE_HYPERFINE };

struct settings {
    double error, confidence;
    uint64_t min_runs; /* 0: not given */
    uint64_t max_runs;
    uint64_t runs;       /* 0: not given */
    int64_t max_time_ns; /* 0: none */
    uint64_t warmup, discard_warmup;
    struct option_list metric; /* as it was given: metrics.h reads it */
    const char *decide;        /* NULL: not given */
    int statistic;             /* enum statistic */
    struct option_list variant;
    struct option_list parameter_list, parameter_scan; /* "VAR=A,B", "VAR=MIN..MAX" */
    const char *parameter_step;                        /* NULL: not given */
    const char *shell;                                 /* NULL: only where it takes one */
    const char *setup, *cleanup;                       /* NULL: none */
    struct option_list prepare, conclude;              /* one for all variants, or one for each */
    const char *out, *errors; /* where the target's output goes; NULL: not given */
    const char *input;        /* NULL: not given, /dev/null */
    const char *service;      /* a command line; NULL: none. Then: */
    const char *ready, *stop_signal, *service_cpus; /* the last one NULL: not given */
    int64_t ready_timeout_ns;
    bool keep_service;
    bool cold;
    struct option_list cold_path;
    int64_t timeout_ns;         /* 0: none */
    const char *ignore_failure; /* NULL: no failure; else a list of exit codes, or all-non-zero */
    bool strict;
    bool no_probe;
    const char *account, *in;            /* see container.h; NULL: not given */
    const char *target_cpus, *load_cpus; /* NULL: not given */
    const char *place, *place_cpus;      /* NULL: not given */
    int64_t nice, load_nice;             /* NICE_UNSET: not given */
    struct option_list setting;          /* see adjust.h */
    bool pause;                          /* neighbours that run already may be */
    int64_t settle_ns;
    int64_t seed; /* SEED_UNSET: not given */
    int engine;
    /* Of slowdown only. */
    bool aa;
    double at_most;     /* 0: no gate */
    double same_within; /* 0: not given */
    double until;       /* of protect only; 0: not given */
    const char *washout;
    /* Of capacity only; NULL: not given. */
    const char *slo, *vary;
};

#define NICE_UNSET INT64_MIN
#define SEED_UNSET (-1)

/* Options of run, slowdown and capacity; those of slowdown only, of capacity only,
 * and of protect besides those of slowdown. */
extern const struct option_row settings_rows[], slowdown_rows[], capacity_rows[], protect_rows[];
/* Those that say nothing without `service`; NULL ends them. */
extern const char *const service_settings[];

/* Everything not given, presets included. */
void experiment_settings_begin(struct settings *settings);
/* Sets one by its name, with or without presets set before; text is kept. False:
 * error says what is wrong and what to give. */
bool settings_set(struct settings *settings, const char *name, const char *text, char *error,
                  size_t size);
/* `ignore_codes` of experiment.json: the exit codes that --ignore-failure names; null: all. */
json_t *settings_ignored(const struct settings *settings);
/* Completes what depends on others and on the environment (JOSTLE_NO_PROBE), and checks what
 * must fit together; wrong use ends the program. */
void settings_complete(struct settings *settings);
/* `settings` of experiment.json but for the metrics: times in seconds, what was not given
 * null. */
json_t *settings_to_json(const struct settings *settings);

/* The cell of a campaign: a file (jostle.cell/1) that gives command, loads and
 * settings. What is on the command line, too, is taken from there. */

/* Reads a cell; wrong use ends the program when it is none. */
json_t *cell_read(const char *file);
/* Sets the settings of the cell that are not on the command line. */
void cell_apply(const json_t *cell, struct arena *arena, struct settings *settings,
                const struct options *given);
/* The cell's command; NULL: it has none. Its texts stay the cell's. */
const char **cell_command(const json_t *cell, struct arena *arena, size_t *count);
/* The cell's loads, each as --load has it. */
struct option_list cell_loads(const json_t *cell, struct arena *arena);

#endif

#ifndef PROBE_NOW_H
#define PROBE_NOW_H

/* What `jostle probe` and its --watch share. */

#include "harness/probe/activity.h"
#include "harness/probe/assess.h"
#include "harness/probe/assess_json.h"
#include "harness/probe/options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* This machine, as an experiment records it; ends the program where memory runs out. */
json_t *plan_environment(void);

/* Everything that is read before anything is measured. */
struct probe_plan {
    const struct probe_options *options;
    bool wanted[REPORTERS];
    bool has_baseline;
    struct baseline baseline;
    char reference[4096]; /* its file; "": none */
    char reference_made[64];
    char cpus[1024]; /* to be pinned to; "": anywhere */
    bool has_sensitivity;
    struct sensitivity sensitivity;
    char program_why[256]; /* it does not hold here; "": it does */
    json_t *reasons;       /* texts */
};

/* Ends the program with exit 2 or 1 after a message where something cannot be used. */
void plan_begin(struct probe_plan *plan, const struct probe_options *options);
void plan_end(struct probe_plan *plan);

/* Pins this process to the plan's CPUs. False after a message. */
bool plan_pin(const struct probe_plan *plan);
/* The reporters of the plan, opened; NULL after a message. */
struct reporter_set *plan_open(const struct probe_plan *plan);
/* All of them, since the last clear; those that were not chosen have n 0 and no reason. */
void plan_read(const struct probe_plan *plan, const struct reporter_set *set,
               struct reading readings[REPORTERS]);

/* From readings, what others do (in each activity's unit) and facts to the record; exit status by
 * --at-most. A new reference in *record, NULL: out of memory. */
int plan_assess(const struct probe_plan *plan, const struct reading readings[REPORTERS],
                const double activity[ACTIVITIES], const struct kernel_facts *facts,
                double duration_s, json_t **record);

/* --watch: until a signal. Exit status. */
int watch_run(const struct probe_plan *plan);

#endif

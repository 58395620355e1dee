/* probe now: the pressure on this node, in units of our own loads. */

#include "harness/probe/now.h"

#include "harness/probe/commands.h"
#include "harness/probe/sample_read.h"

#include "common/messages.h"
#include "common/record_json.h"
#include "common/save.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP_NS  250000000 /* the run queue is looked at, and readings are judged, after each */
#define LEAST_NS 1000000000

/* What a probe has gathered. */
struct gathered {
    struct reading readings[REPORTERS];
    double activity[ACTIVITIES];
    struct kernel_facts facts;
    double duration_s;
};

/* Whether more would not tell more: the readings are as sharp as they get, or what --at-most asks
 * is decided. */
static bool enough(const struct probe_plan *plan, const struct reading readings[REPORTERS])
{
    const struct baseline *baseline = plan->has_baseline ? &plan->baseline : NULL;
    struct assessment assessment;
    assess_readings(&assessment, readings, NULL, baseline, plan->options->confidence);
    if (plan->options->limited && plan->has_sensitivity)
        assess_expectation(&assessment, baseline, &plan->sensitivity);
    if (plan->options->limited)
        assess_limit(&assessment, plan->options->at_most);
    return assessment.limit == LIMIT_ABOVE || assess_settled(&assessment, baseline);
}

static void sample(const struct probe_plan *plan, struct reporter_set *set,
                   struct gathered *gathered, double *run_queue)
{
    const int64_t most_ns = plan->options->duration_ns;
    int64_t used_ns = 0;
    double queue = 0, looks = 0;
    while (used_ns < most_ns) {
        const int64_t left_ns = most_ns - used_ns;
        used_ns += reporters_sample(set, left_ns < STEP_NS ? left_ns : STEP_NS);
        queue += kernel_run_queue();
        looks++;
        plan_read(plan, set, gathered->readings);
        if (used_ns >= LEAST_NS && enough(plan, gathered->readings))
            break;
    }
    *run_queue = queue / looks;
    gathered->duration_s = (double)used_ns / 1e9;
}

/* False after a message. The set holds the readings' reasons. */
static bool measure(const struct probe_plan *plan, struct reporter_set *set,
                    struct gathered *gathered)
{
    double run_queue;
    struct activity_meter meter;
    struct kernel_look *before = kernel_look(true);
    activity_open(&meter, plan->options->directory, set);
    sample(plan, set, gathered, &run_queue);
    activity_read(&meter, gathered->activity);
    struct kernel_look *after = kernel_look(true);
    const bool good = before != NULL && after != NULL;
    if (good) {
        kernel_between(before, after, run_queue, &gathered->facts);
        gathered->facts.own_io = reporters_disk_wait_s(set) / gathered->facts.duration_s;
    } else {
        complain("out of memory: free some");
    }
    kernel_look_free(before);
    kernel_look_free(after);
    return good;
}

static bool write_to(const json_t *record, const char *path, size_t flags)
{
    const bool to_stdout = strcmp(path, "-") == 0;
    struct save save = {.file = stdout};
    if (!to_stdout && !save_begin(&save, path, SAVE_OUTPUT))
        return save_complain(path);
    bool good = json_dumpf(record, save.file, flags) == 0 && putc('\n', save.file) != EOF;
    good = to_stdout ? good && fflush(stdout) == 0 : save_end(&save, good);
    return good || save_complain(path);
}

/* The record goes to --json, and to the table where one is drawn. */
static bool write_record(const struct probe_options *options, const json_t *record)
{
    const bool to_stdout = options->json != NULL && strcmp(options->json, "-") == 0;
    if (record == NULL)
        return complain("out of memory: free some");
    if (options->json != NULL && !write_to(record, options->json, RECORD_FORMAT))
        return false;
    return options->table == NULL || to_stdout || options->quiet ||
           write_to(record, options->table, JSON_COMPACT);
}

static int finish(const struct probe_plan *plan, const struct gathered *gathered)
{
    json_t *record;
    const int code = plan_assess(plan, gathered->readings, gathered->activity, &gathered->facts,
                                 gathered->duration_s, &record);
    const bool written = write_record(plan->options, record);
    json_decref(record);
    return written ? code : EXIT_FAILURE;
}

static int judge_sample(const struct probe_plan *plan)
{
    struct gathered gathered = {.duration_s = NAN};
    json_t *record;
    int code = EXIT_FAILURE;
    if (sample_read(plan->options->sample, gathered.readings, gathered.activity, &record) &&
        facts_read(plan->options->facts, &gathered.facts))
        code = finish(plan, &gathered);
    json_decref(record);
    return code;
}

static int probe(const struct probe_plan *plan)
{
    struct gathered gathered = {0};
    int code = EXIT_FAILURE;
    struct reporter_set *set = plan_pin(plan) ? plan_open(plan) : NULL;
    if (set == NULL)
        return code;
    if (measure(plan, set, &gathered))
        code = finish(plan, &gathered);
    reporters_close(set);
    return code;
}

int probe_now(int argc, char **argv)
{
    struct probe_options options;
    struct probe_plan plan;
    probe_options_parse(&options, argc, argv);
    plan_begin(&plan, &options);
    const int code = options.sample != NULL ? judge_sample(&plan)
                     : options.watch        ? watch_run(&plan)
                                            : probe(&plan);
    plan_end(&plan);
    return code;
}

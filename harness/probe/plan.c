/* What is read before a probe, and what its readings come to. */

#include "harness/probe/baseline.h"
#include "harness/probe/now.h"
#include "harness/probe/program.h"

#include "common/cpus.h"
#include "common/date.h"
#include "common/machine_json.h"
#include "common/messages.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_ABOVE = 3, EXIT_UNDECIDED = 4 };

json_t *plan_environment(void)
{
    json_t *record = environment_now();
    if (record == NULL)
        exit((complain("out of memory: free some"), EXIT_FAILURE));
    return record;
}

/* What --for names: a file or folder, or a program whose profile is here: solver for
 * solver.profile.json, also where ./solver itself is. */
static const char *find_sensitivity(const char *name, char path[PATH_MAX])
{
    struct stat status;
    const bool is_folder = stat(name, &status) == 0 && S_ISDIR(status.st_mode);
    const bool fits = snprintf(path, PATH_MAX, "%s.profile.json", name) < PATH_MAX;
    return !is_folder && fits && access(path, R_OK) == 0 ? path : name;
}

void plan_begin(struct probe_plan *plan, const struct probe_options *options)
{
    char why[512], path[PATH_MAX];
    *plan = (struct probe_plan){.options = options, .reasons = json_array()};
    if (!reporters_choose(options->reporters, plan->wanted))
        exit(2);
    const char *sensitivity =
        options->sensitivity == NULL ? NULL : find_sensitivity(options->sensitivity, path);
    if (sensitivity != NULL && !sensitivity_read(&plan->sensitivity, sensitivity, why, sizeof why))
        usage_error("--for %s: %s", options->sensitivity, why);
    plan->has_sensitivity = sensitivity != NULL;
    json_t *environment = options->sample == NULL ? plan_environment() : NULL;
    if (sensitivity != NULL)
        (void)program_fits(sensitivity, probe_places[options->place], environment,
                           plan->program_why, sizeof plan->program_why);
    const bool good = baseline_read(plan, environment);
    json_decref(environment);
    if (!good)
        exit(EXIT_FAILURE);
    if (options->target_cpus != NULL)
        snprintf(plan->cpus, sizeof plan->cpus, "%s", options->target_cpus);
}

void plan_end(struct probe_plan *plan)
{
    json_decref(plan->reasons);
}

bool plan_pin(const struct probe_plan *plan)
{
    struct cpu_list list;
    if (plan->cpus[0] == '\0')
        return true;
    return (cpus_parse(plan->cpus, &list) == 0 && cpus_pin_list(&list) == 0) ||
           complain("--target-cpus %s: %s: choose from those that are allowed", plan->cpus,
                    strerror(errno));
}

struct reporter_set *plan_open(const struct probe_plan *plan)
{
    bool wanted[REPORTERS];
    if (!reporters_choose(plan->options->reporters, wanted))
        exit(2);
    return reporters_open(&(struct reporter_choice){
        .wanted = wanted, .directory = plan->options->directory, .seed = plan->options->seed});
}

void plan_read(const struct probe_plan *plan, const struct reporter_set *set,
               struct reading readings[REPORTERS])
{
    for (enum reporter r = 0; r < REPORTERS; r++) {
        reporters_read(set, r, &readings[r]);
        if (!plan->wanted[r])
            readings[r].reason = NULL;
    }
}

static int code_of(enum limit_state state)
{
    switch (state) {
    case LIMIT_ABOVE:
        return EXIT_ABOVE;
    case LIMIT_UNDECIDED:
        return EXIT_UNDECIDED;
    case LIMIT_NONE:
    case LIMIT_BELOW:
        break;
    }
    return EXIT_SUCCESS;
}

int plan_assess(const struct probe_plan *plan, const struct reading readings[REPORTERS],
                const double activity[ACTIVITIES], const struct kernel_facts *facts,
                double duration_s, json_t **record)
{
    const struct probe_options *options = plan->options;
    const struct baseline *baseline = plan->has_baseline ? &plan->baseline : NULL;
    struct assessment assessment;
    char made[DATE_SIZE];
    assess_readings(&assessment, readings, activity, baseline, options->confidence);
    if (plan->program_why[0] != '\0')
        assess_no_expectation(&assessment, plan->program_why);
    else if (plan->has_sensitivity)
        assess_expectation(&assessment, baseline, &plan->sensitivity);
    if (options->limited)
        assess_limit(&assessment, options->at_most);
    assess_blame(&assessment, facts);
    const struct probe_context context = {
        .made = date_utc(time(NULL), made),
        .duration_s = duration_s,
        .place = probe_places[options->place],
        .cpus = plan->cpus[0] == '\0' ? NULL : plan->cpus,
        .reference = plan->reference[0] == '\0' ? NULL : plan->reference,
        .reference_made = plan->reference_made,
        .program = options->sensitivity,
        .limited = options->limited,
        .at_most = options->at_most,
        .reasons = plan->reasons,
    };
    *record = assessment_to_json(&assessment, &context);
    return code_of(assessment.limit);
}

#include "experiment.h"
#include "inputs.h"
#include "output.h"
#include "variables.h"

#include "common/arrangement.h"
#include "common/cgroup.h"
#include "common/machine_json.h"
#include "common/messages.h"
#include "common/schemas.h"

#include <stdlib.h>

static json_t *command(const struct experiment *experiment)
{
    const struct variant *first = &experiment->variants.variant[0];
    json_t *words = json_array();
    for (size_t i = 0; i < first->word_count; i++)
        json_array_append_new(words, text_to_json(first->words[i]));
    return words;
}

static json_t *settings_of(const struct experiment *experiment)
{
    json_t *settings = settings_to_json(&experiment->settings);
    metrics_to_json(&experiment->metrics, settings);
    return settings;
}

/* Whether sessions share the CPUs is a fact of the machine (`autogroup`). */
static json_t *arrangement_to_json(void)
{
    char folder[CGROUP_PATH];
    return json_pack("{s:s, s:o}", "group", ARRANGEMENT_NAME, "cgroup",
                     cgroup_shares_cpus(folder) ? text_to_json(folder) : json_null());
}

json_t *experiment_to_json(const struct experiment *experiment)
{
    struct counters counters;
    struct environment environment;
    struct arena arena = {0};
    counters_read(&counters);
    environment_read(&environment);
    json_t *record = json_pack(
        "{s:s, s:s?, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:I, s:I}, s:o, s:O, s:o, "
        "s:O?, "
        "s:o}",
        "schema", SCHEMA_EXPERIMENT, "knows_null", output_missed_by(experiment), "inputs",
        inputs_to_json(experiment), "command", command(experiment), "program",
        variant_program_to_json(&experiment->variants.variant[0], &arena), "variants",
        variants_to_json(&experiment->variants, &arena), "build",
        text_to_json(experiment->session.build), "conditions",
        combinations_to_json(&experiment->combinations, &experiment->variants), "variables",
        variables_to_json(), "loads", conditions_to_json(&experiment->conditions), "settings",
        settings_of(experiment), "looks", "from", (json_int_t)experiment->settings.min_runs, "to",
        (json_int_t)experiment->settings.max_runs, "environment",
        environment_to_json(&environment, &counters), "placement", experiment->placed.record,
        "arrangement", arrangement_to_json(), "cell", experiment->cell, "before",
        counters_to_json(&counters));
    arena_free(&arena);
    if (record != NULL && experiment->cell == NULL)
        json_object_set_new(record, "cell", json_null());
    if (record != NULL)
        return record;
    complain("out of memory: free some");
    exit(EXIT_FAILURE);
}

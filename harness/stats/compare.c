#include "compare.h"

#include "json.h"
#include "metrics.h"
#include "oddities.h"
#include "output.h"

#include "common/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The runs of the two files share no block, so they are two independent
// samples: the ratio's interval is that of the difference of the log means, with
// B. L. Welch's degrees of freedom (Biometrika 34, 1947). The delta method
// gives the variance of a log mean; it is good where the mean is far from 0.
struct interval compare_ratio(struct session *a, struct session *b, enum metric metric)
{
    const struct sample *x = &a->conditions[0].metric[metric];
    const struct sample *y = &b->conditions[0].metric[metric];
    const struct interval none = {
        .center = NAN, .low = NAN, .high = NAN, .error = INFINITY};
    if (x->count < 2 || y->count < 2 || !(x->mean > 0) || !(y->mean > 0))
        return none;
    double vx = metric_mean_variance(a, 0, metric) / (x->mean * x->mean);
    double vy = metric_mean_variance(b, 0, metric) / (y->mean * y->mean);
    double center = y->mean / x->mean, sum = vx + vy;
    if (!(sum > 0))
        return interval_constant(center);
    double df = sum * sum / (vx * vx / (double)(x->count - 1) + vy * vy / (double)(y->count - 1));
    double half = critical_t(&a->critical, df) * sqrt(sum);
    struct interval ratio = {
        .center = center, .low = center * exp(-half), .high = center * exp(half)};
    ratio.error = (ratio.high - ratio.low) / 2 / center;
    return ratio;
}

static bool read_records(struct session *session, const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    bool good = true;
    if (!file) {
        return complain("stats: %s cannot be opened: give a runs.jsonl", path);
    }
    for (size_t number = 1; good && getline(&line, &size, file) >= 0; number++) {
        struct observation run;
        json_t *record = NULL;
        char why[256];
        enum record_status status =
            record_parse(session->settings, line, &run, &record, why, sizeof why);
        json_decref(record);
        if (status == RECORD_SET_ASIDE)
            session_add_set_aside(session, &run);
        // The other conditions of the experiment are not compared.
        if (status == RECORD_BROKEN)
            complain("%s:%zu is set aside: %s", path, number, why);
        if (status == RECORD_OK)
            good = session_add(session, &run) != SESSION_NO_MEMORY;
    }
    free(line);
    good = fclose(file) == 0 && good;
    if (good && session->conditions[0].runs < 2) {
        return complain("stats: %s has fewer than two good runs of %s: measure more, or "
                        "name another with --condition",
                        path, session->settings->conditions[0]);
    }
    return good;
}

static json_t *flags(struct session *session, enum metric metric)
{
    json_t *list = json_array();
    unsigned raised = oddities_find(session, 0, metric);
    for (enum flag flag = 0; flag < ODDITIES; flag++)
        if (raised >> flag & 1U)
            json_array_append_new(list, json_string(flag_name(flag)));
    return list;
}

// The noise floor of one side: what the file's `aa` condition differs from its
// baseline at most, if it has one; else the error of the mean itself.
static json_t *side(struct session *session, enum metric metric)
{
    const struct sample *sample = &session->conditions[0].metric[metric];
    struct location location = metric_location(session, 0, metric);
    double floor = location.interval.error;
    const char *source = "error-of-the-mean";
    if (settings_aa(session->settings) > 0 && session->conditions[1].pairs[metric].count > 1) {
        struct interval aa = metric_ratio(session, 1, metric);
        floor = isfinite(aa.error) ? fmax(1 - aa.low, aa.high - 1) : INFINITY;
        source = "aa";
    }
    return json_pack("{s:i, s:o, s:o, s:o, s:s, s:o}", "runs", (int)sample->count, "mean",
                     json_figure(sample->count > 0 ? sample->mean : NAN), "stddev",
                     json_figure(sqrt(sample_variance(sample))), "noise_floor", json_figure(floor),
                     "noise_floor_from", source, "flags", flags(session, metric));
}

static json_t *compared(struct session *a, struct session *b, enum metric metric)
{
    const struct settings *settings = a->settings;
    struct interval ratio = compare_ratio(a, b, metric);
    json_t *one = side(a, metric), *other = side(b, metric);
    double floor = hypot(json_number_value(json_object_get(one, "noise_floor")),
                         json_number_value(json_object_get(other, "noise_floor")));
    bool aa = settings_aa(settings) > 0;
    bool away = ratio.low > 1 || ratio.high < 1;
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:s, s:b, s:b, s:o, s:o}", "condition", settings->conditions[0],
        "metric", metric_names[metric], "ratio", json_figure(ratio.center), "ci",
        isfinite(ratio.low) ? json_pack("[o, o]", json_figure(ratio.low), json_figure(ratio.high))
                            : json_null(),
        "error", json_figure(ratio.error), "method", "welch-log-ratio", "distinguishable",
        away && (!aa || fabs(ratio.center - 1) > floor), "simultaneous",
        settings_family(settings) > 1, "a", one, "b", other);
}

// With an `aa` condition in the file the baseline's floor can be known.
static bool has_aa(const char *path)
{
    char aa[] = "aa";
    struct settings settings = {.conditions = {aa}, .condition_count = 1};
    FILE *file = fopen(path, "r");
    char *line = NULL, why[256];
    size_t size = 0;
    bool found = false;
    while (file && !found && getline(&line, &size, file) >= 0) {
        struct observation run;
        json_t *record;
        const enum record_status status =
            record_parse(&settings, line, &run, &record, why, sizeof why);
        found = status == RECORD_OK && json_object_get(record, "condition");
        json_decref(record);
    }
    free(line);
    if (file)
        fclose(file);
    return found;
}

static json_t *compare_sessions(const struct settings *settings, const char *a, const char *b)
{
    struct session one, other;
    json_t *list = NULL;
    bool good = session_init(&one, settings);
    good = session_init(&other, settings) && good;
    if (good && read_records(&one, a) && read_records(&other, b)) {
        list = json_array();
        for (enum metric m = 0; m < METRICS; m++)
            if (settings->metric[m])
                json_array_append_new(list, compared(&one, &other, m));
    }
    session_free(&one);
    session_free(&other);
    return list;
}

json_t *compare_files(const struct settings *settings, const char *condition, const char *a,
                      const char *b)
{
    char aa[] = "aa", *name = strdup(condition);
    struct settings both = *settings;
    both.conditions[0] = name;
    both.conditions[1] = aa;
    both.aa = strcmp(condition, "baseline") == 0 && has_aa(a) && has_aa(b);
    both.condition_count = both.aa ? 2 : 1;
    both.at_most = 0;
    json_t *list = name ? compare_sessions(&both, a, b) : NULL;
    free(name);
    return list;
}

int compare_run(const struct command_line *command, FILE *output)
{
    const struct settings *settings = &command->settings;
    json_t *list =
        compare_files(settings, command->condition ? command->condition : settings->conditions[0],
                      command->operands[0], command->operands[1]);
    if (!list)
        return 1;
    json_t *object = json_pack("{s:o, s:o}", "confidence", json_figure(settings->confidence),
                               "comparisons", list);
    const bool good =
        object && output_json(object, command->summary ? command->summary : "-", output);
    json_decref(object);
    return good ? 0 : 1;
}

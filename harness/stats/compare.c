#include "compare.h"

#include "metrics.h"
#include "oddities.h"
#include "output.h"

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
    struct interval none = {NAN, NAN, NAN, INFINITY};
    if (x->count < 2 || y->count < 2 || !(x->mean > 0) || !(y->mean > 0))
        return none;
    double vx = metric_mean_variance(a, 0, metric) / (x->mean * x->mean);
    double vy = metric_mean_variance(b, 0, metric) / (y->mean * y->mean);
    double center = y->mean / x->mean, sum = vx + vy;
    if (!(sum > 0))
        return (struct interval){center, center, center, 0};
    double df = sum * sum / (vx * vx / (double)(x->count - 1) + vy * vy / (double)(y->count - 1));
    double half = critical_t(&a->critical, df) * sqrt(sum);
    struct interval ratio = {center, center * exp(-half), center * exp(half), 0};
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
        fprintf(stderr, "jostle: stats: %s cannot be opened: give a runs.jsonl\n", path);
        return false;
    }
    for (size_t number = 1; good && getline(&line, &size, file) >= 0; number++) {
        struct run run;
        json_t *record = NULL;
        char why[256];
        enum record_status status =
            record_parse(session->settings, line, &run, &record, why, sizeof why);
        json_decref(record);
        // The other conditions of the experiment are not compared.
        if (status == RECORD_BROKEN)
            fprintf(stderr, "jostle: %s:%zu is set aside: %s\n", path, number, why);
        if (status == RECORD_OK)
            good = session_add(session, &run) != SESSION_NO_MEMORY;
    }
    free(line);
    good = fclose(file) == 0 && good;
    if (good && session->conditions[0].runs < 2) {
        fprintf(stderr,
                "jostle: stats: %s has fewer than two good runs of %s: measure more, or "
                "name another with --condition\n",
                path, session->settings->conditions[0]);
        return false;
    }
    return good;
}

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
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
                     real_or_null(sample->count > 0 ? sample->mean : NAN), "stddev",
                     real_or_null(sqrt(sample_variance(sample))), "noise_floor",
                     real_or_null(floor), "noise_floor_from", source, "flags",
                     flags(session, metric));
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
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:s, s:b, s:b, s:o, s:o}", "condition",
                     settings->conditions[0], "metric", metric_names[metric], "ratio",
                     real_or_null(ratio.center), "ci",
                     isfinite(ratio.low) ? json_pack("[f, f]", ratio.low, ratio.high) : json_null(),
                     "error", real_or_null(ratio.error), "method", "welch-log-ratio",
                     "distinguishable", away && (!aa || fabs(ratio.center - 1) > floor),
                     "simultaneous", settings_family(settings) > 1, "a", one, "b", other);
}

// With an `aa` condition in the file the baseline's floor can be known.
static bool has_aa(const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    bool found = false;
    while (file && !found && getline(&line, &size, file) >= 0)
        found = strstr(line, "\"condition\":\"aa\"") || strstr(line, "\"condition\": \"aa\"");
    free(line);
    if (file)
        fclose(file);
    return found;
}

static struct settings settings_for(const struct command_line *command, char *name, char *aa)
{
    struct settings settings = command->settings;
    settings.conditions[0] = name;
    settings.conditions[1] = aa;
    settings.aa = strcmp(name, "baseline") == 0 && has_aa(command->operands[0]) &&
                  has_aa(command->operands[1]);
    settings.condition_count = settings.aa ? 2 : 1;
    settings.at_most = 0;
    return settings;
}

static int report(struct session *a, struct session *b, const struct command_line *command,
                  FILE *output)
{
    json_t *list = json_array();
    for (enum metric m = 0; m < METRICS; m++)
        if (command->settings.metric[m])
            json_array_append_new(list, compared(a, b, m));
    json_t *object =
        json_pack("{s:f, s:o}", "confidence", a->settings->confidence, "comparisons", list);
    bool good = object && output_json(object, command->summary ? command->summary : "-", output);
    json_decref(object);
    return good ? 0 : 1;
}

int compare_run(const struct command_line *command, FILE *output)
{
    char aa[] = "aa",
         *name = strdup(command->condition ? command->condition : command->settings.conditions[0]);
    if (!name)
        return 1;
    struct settings settings = settings_for(command, name, aa);
    struct session a, b;
    int code = 1;
    bool good = session_init(&a, &settings);
    good = session_init(&b, &settings) && good;
    if (good && read_records(&a, command->operands[0]) && read_records(&b, command->operands[1]))
        code = report(&a, &b, command, output);
    session_free(&a);
    session_free(&b);
    free(name);
    return code;
}

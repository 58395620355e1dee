#include "reference_plan.h"

#include "harness/pressure/reference.h"
#include "harness/probe/activity.h"
#include "harness/probe/now.h"
#include "harness/probe/reporters.h"

#include "common/child.h"
#include "common/kept.h"
#include "common/messages.h"
#include "common/pair.h"
#include "common/units.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LEAST_BLOCKS 3
#define MOST_BLOCKS  20
#define OVERHEAD_S   0.2 /* of a run, besides its sample: to begin, and the load to be steady */
#define BEGIN_S      5   /* of the experiment: work files are written */
#define LOADS        ((REFERENCE_POINTS - 1) * KINDS)

/* Where target and loads run: what `placement` says, which has complained where it cannot. */
static json_t *find_place(const struct reference_choices *choices)
{
    char path[PATH_MAX], *text = NULL;
    const char *argv[] = {child_path("placement", path),
                          "--json",
                          "--place",
                          choices->place,
                          choices->place_cpus == NULL ? NULL : "--place-cpus",
                          choices->place_cpus,
                          NULL};
    const int code = child_run(argv, -1, &text);
    json_t *place = code == 0 ? json_loads(text, 0, NULL) : NULL;
    free(text);
    return place;
}

/* Kinds that were chosen and are possible; those that are named and are not possible end it. */
static size_t find_kinds(const struct reference_choices *choices, bool possible[KINDS])
{
    char reason[256];
    size_t count = 0;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        possible[kind] = choices->kinds[kind];
        if (possible[kind] && kind_impossible(kind, choices->directory, reason, sizeof reason)) {
            possible[kind] = false;
            complain("%s: not possible here: %s: left out", kinds[kind].name, reason);
        }
        count += possible[kind];
    }
    return count;
}

/* What is not shown here is left out without a word: it only sharpens levels. */
static void find_activities(struct reference_choices *choices, const struct reporter_set *set)
{
    struct activity_meter meter;
    double value[ACTIVITIES];
    activity_open(&meter, choices->directory, set);
    activity_read(&meter, value);
    for (enum activity a = 0; a < ACTIVITIES; a++)
        choices->activities[a] = isfinite(value[a]);
}

/* Leaves out reporters that cannot work here: a run without one of its metrics is a failed one. */
static bool find_reporters(struct reference_choices *choices)
{
    struct reporter_set *set = reporters_open(
        &(struct reporter_choice){.wanted = choices->reporters, .directory = choices->directory});
    size_t count = 0;
    if (set == NULL)
        return false;
    for (enum reporter reporter = 0; reporter < REPORTERS; reporter++) {
        struct reading reading;
        reporters_read(set, reporter, &reading);
        if (choices->reporters[reporter] && reading.reason != NULL) {
            choices->reporters[reporter] = false;
            complain("%s: not possible here: %s: left out", reporters[reporter].name,
                     reading.reason);
        }
        count += choices->reporters[reporter];
    }
    find_activities(choices, set);
    reporters_close(set);
    return count > 0 || complain("no reporter works here: see above");
}

static void put(const char *argument)
{
    pair_put("argument", argument);
}

static void put_option(const char *option, const char *value)
{
    if (value == NULL)
        return;
    put(option);
    put(value);
}

static void put_number(const char *option, unsigned long long value, const char *unit)
{
    char text[64];
    snprintf(text, sizeof text, "%llu%s", value, unit);
    put_option(option, text);
}

/* Each kind at each level is a load of its own. */
static void put_loads(const bool possible[KINDS])
{
    char spec[64], load[128];
    for (enum kind kind = 0; kind < KINDS; kind++)
        for (int point = 1; possible[kind] && point < REFERENCE_POINTS; point++) {
            const double level = (double)point / (REFERENCE_POINTS - 1);
            snprintf(load, sizeof load, "%s-%g=%s", kinds[kind].name, 100 * level,
                     kind_spec(kind, level, spec, sizeof spec));
            put_option("--load", load);
        }
}

static void list_reporters(const struct reference_choices *choices, char *text, size_t size)
{
    size_t used = 0;
    for (enum reporter reporter = 0; reporter < REPORTERS; reporter++)
        if (choices->reporters[reporter])
            used += (size_t)snprintf(text + used, size - used, "%s%s", used == 0 ? "" : ",",
                                     reporters[reporter].name);
}

static void put_target(const struct reference_choices *choices)
{
    char path[PATH_MAX], list[512];
    list_reporters(choices, list, sizeof list);
    put("--");
    put(child_path("probe", path));
    put("sample");
    put_number("--duration", (unsigned long long)(choices->sample_ns / 1000000), "ms");
    put_option("--reporters", list);
    put_option("--directory", choices->directory);
}

static unsigned blocks_of(const struct reference_choices *choices, size_t conditions)
{
    const double run_s = (double)choices->sample_ns / 1e9 + OVERHEAD_S;
    const double fit = choices->budget_s / ((double)conditions * run_s);
    return (unsigned)fmin(fmax(fit, LEAST_BLOCKS), MOST_BLOCKS);
}

static void put_forecast(const struct reference_choices *choices, size_t kinds_count,
                         unsigned blocks, size_t conditions)
{
    char text[256];
    const double run_s = (double)choices->sample_ns / 1e9 + OVERHEAD_S;
    const double all_s =
        BEGIN_S + (double)choices->look_ns / 1e9 + blocks * (double)conditions * run_s;
    snprintf(text, sizeof text,
             "Reference of the place %s: %zu kinds of load at 25, 50, 75 and 100 %%, %u blocks of "
             "%zu runs: about %.1f minutes, calibrations not counted.",
             choices->place, kinds_count, blocks, conditions, all_s / 60);
    pair_put("forecast", text);
}

static void put_experiment(const struct reference_choices *choices, const bool possible[KINDS],
                           unsigned blocks)
{
    char folder[PATH_MAX + 16], metric[256];
    snprintf(folder, sizeof folder, "%s/experiment", choices->folder);
    put_option("--output", folder);
    put_option("--place", choices->place);
    put_option("--place-cpus", choices->place_cpus);
    put_number("--runs", blocks, "");
    put_number("--seed", choices->seed, "");
    put_number("--max-time", (unsigned long long)(choices->max_time_ns / 1000000), "ms");
    put("--aa");
    put("--no-probe"); /* the target is one */
    put_option("--washout", "0");
    for (enum reporter reporter = 0; reporter < REPORTERS; reporter++)
        if (choices->reporters[reporter])
            put_option("--metric", reporter_metric(reporter, metric, sizeof metric));
    for (enum activity a = 0; a < ACTIVITIES; a++)
        if (choices->activities[a])
            put_option("--metric", activity_metric(a, metric, sizeof metric));
    put_loads(possible);
    if (choices->resume)
        put("--resume");
    put_target(choices);
}

/* What every step needs to know. */
static void put_places(const struct reference_choices *choices, const json_t *place)
{
    pair_put("folder", choices->folder);
    pair_put("record", choices->record);
    pair_put("own_folder", choices->output == NULL ? "1" : NULL);
    pair_put("resume", choices->resume ? "1" : NULL);
    pair_put("again", choices->again ? "1" : NULL);
    pair_put("quiet", choices->quiet ? "1" : NULL);
    pair_put("json", choices->json);
    pair_put("disk", choices->directory);
    pair_put("target_cpus", json_string_value(json_object_get(place, "target_cpus")));
}

static void put_all(const struct reference_choices *choices, const bool possible[KINDS],
                    size_t kinds_count, const json_t *place)
{
    const size_t conditions = kinds_count * (REFERENCE_POINTS - 1) + 2; /* alone, twice */
    const unsigned blocks = blocks_of(choices, conditions);
    put_places(choices, place);
    put_forecast(choices, kinds_count, blocks, conditions);
    put_experiment(choices, possible, blocks);
}

/* Whether there is a folder for it; minutes of measuring are lost otherwise. */
static bool can_be_kept(const char *path)
{
    char folder[PATH_MAX + 2];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s.", slash == NULL ? 0 : (int)(slash + 1 - path), path);
    return (kept_make_folder(path) == 0 && access(folder, W_OK) == 0) ||
           complain("%s: %s: give another --reference-file", path, strerror(errno));
}

/* Whether there is a reference of this machine that a look can be added to. */
static bool can_be_added_to(const struct reference_choices *choices)
{
    struct reference *reference = malloc(sizeof *reference);
    char why[1024] = "out of memory: free some";
    json_t *environment = plan_environment();
    const bool good =
        reference != NULL && reference_read(choices->record, reference, why, sizeof why) &&
        reference_judge(reference, environment, choices->place, time(NULL), why, sizeof why) !=
            REFERENCE_UNFIT;
    json_decref(environment);
    free(reference);
    return good || complain("--again: %s: %s", choices->record, why);
}

int reference_plan(const struct reference_choices *choices)
{
    struct reference_choices able = *choices;
    bool possible[KINDS];
    if (!can_be_kept(choices->record) || (choices->again && !can_be_added_to(choices)))
        return EXIT_FAILURE;
    json_t *place = find_place(choices);
    if (place == NULL)
        return 2;
    bool good = true;
    if (choices->again) {
        put_places(choices, place);
    } else {
        const size_t count = find_kinds(choices, possible);
        good = (count > 0 || complain("no kind of load is possible here: see above")) &&
               find_reporters(&able);
        if (good)
            put_all(&able, possible, count, place);
    }
    json_decref(place);
    return good && fflush(stdout) == 0 && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}

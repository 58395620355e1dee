#include "panorama.h"

#include "common/child.h"
#include "common/messages.h"
#include "common/words.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1000000000LL

/* Fewer runs of a condition have no interval of signed ranks (stats/ranks.h). */
enum { FEWEST_RUNS = 6, MOST_RUNS = 100, LONG_S = 60, QUICK_S = 15 };

/* A sequential work file of this size is written within a second or two, and longer than what the
 * caches of a disk hold. */
static const char *const neighbours[] = {
    "cpu=cpu --percent 50",          "memory=mem --limit 50%",
    "cache=cache --size 50",         "disk=io --sequential --limit 50% --file-size 512M",
    "network=net --tcp --limit 50%", /* of a service alone: what uses no network is not slowed by it
                                      */
};

enum { NEIGHBOURS = sizeof neighbours / sizeof neighbours[0] };

bool panorama_wanted(const struct experiment *experiment, const struct option_list *loads)
{
    const struct session *session = &experiment->session;
    const bool wanted = loads->count == 0 && experiment->cell == NULL &&
                        experiment->settings.variant.count < 2 && session->revisions.count < 2 &&
                        experiment->settings.parameter_list.count == 0 &&
                        experiment->settings.parameter_scan.count == 0;
    if (!wanted && (session->quick || session->for_ns > 0))
        usage_error("--%s is for a slowdown without --load and --variant: give --max-time",
                    session->quick ? "quick" : "for");
    if (session->quick && session->for_ns > 0)
        usage_error("--quick is --for %ds: give one of them", QUICK_S);
    return wanted;
}

/* Whether loadgen takes it on this machine: a work file needs room on a disk. */
static bool is_possible(const char *spec)
{
    char path[PATH_MAX];
    const char *why;
    size_t count;
    char **words = words_split(strchr(spec, '=') + 1, &count, &why);
    const char **argv = words == NULL ? NULL : calloc(count + 3, sizeof *argv);
    char *output = NULL;
    bool possible = false;
    if (argv != NULL) {
        argv[0] = child_path("loadgen", path);
        for (size_t i = 0; i < count; i++)
            argv[i + 1] = words[i];
        argv[count + 1] = "--dry-run";
        possible = child_run(argv, -1, &output) == 0;
    }
    free(output);
    free(argv);
    free(words);
    return possible;
}

/* The neighbours are where the target is. */
static void set_cpus(struct settings *settings)
{
    if (settings->load_cpus == NULL && settings->place == NULL && settings->place_cpus == NULL)
        settings->load_cpus = settings->target_cpus;
}

static void set_limits(struct experiment *experiment)
{
    struct settings *settings = &experiment->settings;
    const struct session *session = &experiment->session;
    const struct options *given = experiment->given;
    if (!options_given(given, "runs") && !options_given(given, "min-runs"))
        settings->min_runs = settings->max_runs < FEWEST_RUNS ? settings->max_runs : FEWEST_RUNS;
    if (!options_given(given, "runs") && !options_given(given, "max-runs"))
        settings->max_runs = MOST_RUNS;
    if (options_given(given, "max-time"))
        return;
    settings->max_time_ns = (session->quick ? QUICK_S : LONG_S) * NS_PER_S;
    if (session->for_ns > 0)
        settings->max_time_ns = session->for_ns;
    experiment->panorama = true;
}

struct option_list panorama_loads(struct experiment *experiment)
{
    struct option_list loads = {.item = arena_take(&experiment->arena, sizeof neighbours)};
    const size_t count = experiment->settings.service != NULL ? NEIGHBOURS : NEIGHBOURS - 1;
    for (size_t i = 0; i < count; i++)
        if (is_possible(neighbours[i]))
            loads.item[loads.count++] = neighbours[i];
        else if (!experiment->session.quiet)
            complain("%.*s is left out: this machine has no such load, as loadgen has just said",
                     (int)strcspn(neighbours[i], "="), neighbours[i]);
    set_limits(experiment);
    set_cpus(&experiment->settings);
    return loads;
}

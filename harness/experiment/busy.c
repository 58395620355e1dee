// A look at who uses the machine, by jostle blame, before anything is measured on it.
#include "experiment.h"

#include "common/child.h"
#include "common/counters.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/text.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOOK_S         "1"
#define LONG_ENOUGH_NS 10000000000 // of the user's own limit: in less a look is not worth its time
#define LONG_ENOUGH    6           // runs of all conditions: the same
#define QUIET_LOOKS    2           // that follow each other end a wait
#define REPEAT_S       60.0        // from one line of a wait to the next
#define WITHIN         "JOSTLE_WITHIN"
#define NAME_MOST      48

// What a look has found. Nothing, where blame fails: it is not what was asked for.
struct look_found {
    double cpus, of;         // CPUs that others use, and how many there are
    double largest_cpus;     // of the one that uses most of them
    char largest[NAME_MOST]; // who that is; "": nobody
};

static void take_culprits(struct look_found *found, const json_t *culprits)
{
    JSON_EACH (culprit, culprits) {
        const char *text = json_text_or_empty(culprit, "text");
        const double cpus = json_number_at(culprit, "cpus");
        if (!(cpus > found->largest_cpus))
            continue;
        found->largest_cpus = cpus;
        OWNED char *visible = must(visible_copy(text));
        char *of = strstr(visible, " (short processes of "); // who started them is not the point
        if (of)
            *of = '\0';
        const bool fits = strlen(visible) < NAME_MOST;
        const size_t most = fits ? strlen(visible) : text_whole(visible, NAME_MOST - 5);
        snprintf(found->largest, sizeof found->largest, "%.*s%s", (int)most, visible,
                 fits ? "" : "...");
    }
}

static struct look_found look(void)
{
    char path[PATH_MAX];
    const char *const argv[] = {child_path("blame", path), "--duration=" LOOK_S, "--json=-", NULL};
    struct look_found found = {0};
    char *output = NULL;
    if (child_is_program(path) && child_run(argv, -1, &output) == 0) {
        json_auto_t *record = json_loads(output, 0, NULL);
        const json_t *kernel = json_object_get(record, "kernel");
        found.cpus = json_number_at(kernel, "others_cpus");
        found.of = json_number_at(kernel, "cpus");
        take_culprits(&found, json_object_get(record, "culprits"));
    }
    free(output);
    return found;
}

// As a run is judged that was made meanwhile.
static bool is_busy(const struct look_found *found)
{
    return found->cpus > foreign_most_cpus(found->of);
}

// "1.9 of 2 CPUs, the largest is gcc (0.84)"; returns text.
static const char *found_text(const struct look_found *found, char *text, size_t size)
{
    snprintf(text, size, "%.2g of %g CPUs", found->cpus, found->of);
    char largest[NUMBER_SIZE];
    if (found->largest[0] != '\0')
        text_append(text, size, ", ", "the largest is %s (%s)", found->largest,
                    number_cpus(found->largest_cpus, largest));
    return text;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Looks until the machine is quiet, or the time is over. What it found last.
static struct look_found wait_for_quiet(struct look_found found, double most_s, bool quiet)
{
    char text[160];
    const double begin_s = now_s();
    double said_s = begin_s;
    int left = QUIET_LOOKS;
    if (!quiet)
        complain("other programs use %s: waiting until they use less than %.2g, for up to %.0f s",
                 found_text(&found, text, sizeof text), foreign_most_cpus(found.of), most_s);
    while (left > 0 && now_s() - begin_s < most_s) {
        found = look();
        left = is_busy(&found) ? QUIET_LOOKS : left - 1;
        if (quiet || left == 0 || now_s() - said_s < REPEAT_S)
            continue;
        said_s = now_s();
        complain("other programs use %s: still waiting after %.0f s of up to %.0f s",
                 found_text(&found, text, sizeof text), said_s - begin_s, most_s);
    }
    if (!quiet && left == 0)
        complain("the machine is quiet after %.0f s", now_s() - begin_s);
    return found;
}

json_t *busy_look(int64_t wait_ns, bool quiet)
{
    char text[160];
    struct look_found found = look();
    if (is_busy(&found) && wait_ns > 0)
        found = wait_for_quiet(found, (double)wait_ns / 1e9, quiet);
    if (!is_busy(&found))
        return NULL;
    if (!quiet)
        complain("the machine is busy: other programs use %s: end them, wait with --wait, or "
                 "expect a less certain result",
                 found_text(&found, text, sizeof text));
    return must(json_pack("{s:o, s:o, s:s, s:o}", "cpus", json_number(found.cpus), "of",
                          json_number(found.of), "largest", found.largest, "largest_cpus",
                          json_number(found.largest_cpus)));
}

bool busy_look_is_wanted(const struct plan_request *experiment)
{
    const struct settings *settings = &experiment->settings;
    const struct session *session = &experiment->session;
    const char *within = getenv(WITHIN);
    const bool gate = settings->at_most > 0 || settings->same_within > 0;
    const bool limited = session->for_ns > 0 || options_given(experiment->given, "max-time");
    const uint64_t runs =
        experiment->combinations.count * (settings->runs > 0 ? settings->runs : settings->max_runs);
    // Its neighbour is what is measured; a part of something larger was looked for by that.
    if (settings->pause || session->cell || (within && *within && strcmp(within, "on") != 0))
        return false;
    if (session->wait_ns > 0)
        return true;
    return !gate && !session->quiet && !session->resume && !settings->no_probe &&
           !(limited && settings->max_time_ns < LONG_ENOUGH_NS) && runs > LONG_ENOUGH;
}

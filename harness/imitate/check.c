// Measures how near each candidate is: what it does to reporters, beside what the neighbour itself
// does to them.

#include "imitate.h"

#include "common/child.h"
#include "common/file.h"
#include "common/messages.h"
#include "common/units.h"
#include "harness/profile/profile.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK "check" // the experiment's name

static const double sample_s = 0.5; // of the reporters, in each run

const char *neighbour_group(uint64_t pid)
{
    char path[64], its[4096], own[4096], autogroup[16];
    snprintf(path, sizeof path, "/proc/%lu/cgroup", (unsigned long)pid);
    if (pid == 0 || !file_read(AT_FDCWD, path, its, sizeof its) ||
        !file_read(AT_FDCWD, "/proc/self/cgroup", own, sizeof own))
        return "";
    if (strcmp(its, own) != 0)
        return "[group=cgroup] ";
    // A target is in a session of jostle's, in which nobody is who runs already.
    return file_read(AT_FDCWD, "/proc/sys/kernel/sched_autogroup_enabled", autogroup,
                     sizeof autogroup) &&
                   autogroup[0] == '1'
               ? "[group=session] "
               : "";
}

void check_step(const struct candidates *candidates, const char *folder, uint64_t pid,
                double time_s)
{
    char path[PATH_MAX];
    study_step("slowdown", folder, CHECK);
    study_word("--quiet");
    study_word("--no-probe"); // the target is one
    study_word("--pause");
    study_number("--runs", "%.0f", 60);
    study_number("--max-time", "%.1fs", time_s);
    OWNED char *list = profile_put_reporters();
    OWNED char *neighbour = text_of("neighbour=pid:%lu", (unsigned long)pid);
    study_option("--load", neighbour);
    for (size_t i = 0; i < candidates->count; i++) {
        OWNED char *load = text_of("candidate%zu=%s%s", i + 1, neighbour_group(pid),
                                   candidates->candidate[i].spec);
        study_option("--load", load);
    }
    study_word("--");
    study_word(child_path("probe", path));
    study_word("sample");
    study_option("--reporters", list);
    study_number("--duration", "%.3gs", sample_s);
    study_step_end();
}

// The mean over blocks of log(beside the candidate / beside the neighbour), and its standard error.
struct nearness {
    double log_ratio, error;
    size_t blocks;
};

static struct nearness nearness_of(const struct measured *measured, size_t condition, size_t metric)
{
    OWNED double *its = measured_by_block(measured, condition, metric);
    OWNED double *neighbour = measured_by_block(measured, 1, metric);
    struct nearness near = {NAN, NAN, 0};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < measured->session.blocks; i++) {
        const double one = log(its[i] / neighbour[i]);
        if (!isfinite(one))
            continue;
        sum += one;
        squares += one * one;
        near.blocks++;
    }
    if (near.blocks < 2)
        return near;
    const double n = (double)near.blocks;
    near.log_ratio = sum / n;
    near.error = sqrt(fmax(squares / n - near.log_ratio * near.log_ratio, 0) / (n - 1));
    return near;
}

// Prints the figures of one candidate. Returns the mean of |log ratio| over the reporters; NAN: it
// has none.
static double judge_one(const struct measured *measured, size_t number, const char *spec)
{
    double sum = 0, count = 0;
    printf("%zu  %s\n", number, spec);
    for (size_t r = 0; r < BESIDE_REPORTERS; r++) {
        const size_t metric = measured_metric(measured, beside_reporters[r]);
        if (metric >= MAX_METRICS)
            continue;
        const struct nearness near = nearness_of(measured, number + 1, metric);
        if (isnan(near.log_ratio))
            continue;
        printf("   %-7s  log ratio %+.3f ± %.3f (%zu blocks)\n", beside_reporters[r],
               near.log_ratio, near.error, near.blocks);
        sum += fabs(near.log_ratio);
        count++;
    }
    if (count == 0)
        printf("   not known: too few blocks have runs beside both\n");
    else
        printf("   mean |log ratio| %.3f\n", sum / count);
    return count > 0 ? sum / count : NAN;
}

bool check_judge(const struct candidates *candidates, const char *folder, uint64_t pid)
{
    struct measured measured;
    size_t nearest = 0;
    double least = INFINITY;
    bool good = measured_open(&measured, folder, CHECK);
    if (good)
        printf("Reporters beside each candidate, compared with those beside the neighbour "
               "(0: alike):\n");
    for (size_t i = 0; good && i < candidates->count; i++) {
        const double its = judge_one(&measured, i + 1, candidates->candidate[i].spec);
        if (its < least) {
            least = its;
            nearest = i + 1;
        }
    }
    if (good && nearest == 0)
        good =
            complain("no candidate was measured beside the neighbour: give a longer --check-time");
    if (good)
        printf("\nNearest: --load 'n=%s%s'\nExpected error of a slowdown beside it: about %.0f %% "
               "(mean of "
               "|log ratio|; programs unlike these reporters may differ more)\n",
               neighbour_group(pid), candidates->candidate[nearest - 1].spec,
               100 * (exp(least) - 1));
    measured_free(&measured);
    return good;
}

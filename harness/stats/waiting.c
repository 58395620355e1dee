// Finds what the time of a condition's runs was made of, and what others cost it.
#include "fixed_time.h"
#include "interval.h"
#include "json.h"
#include "result.h"
#include "session.h"
#include "shares.h"

#include "harness/record/settings.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// What the time of a condition's runs was made of.

// From this part of the time without them on, what others cost a baseline is said first.
static const double worth_saying = 0.05;
// A target that sleeps for no more of its time than this can end sooner by what it does not wait.
static const double little_rest = 0.05;
// Without what others take, a figure is offered that needs this many times fewer runs.
static const double worth_offering = 2;
enum { RUNS_TO_FORECAST = 5 };
static const char unwaited[] = "wall_without_wait_s";

enum part { COMPUTING, CPU_WAIT, THROTTLED, DISK_WAIT, MEMORY_WAIT, STOLEN, REST, PARTS };

static const struct {
    const char *name, *words;
    enum cause cause; // of CPU_WAIT without THROTTLED
} parts[PARTS] = {
    [COMPUTING] = {"computing_s", "computing", EXECUTION},
    [CPU_WAIT] = {"cpu_wait_s", "waiting for a CPU", CPU},
    [THROTTLED] = {"throttled_s", "throttled by its own CPU quota", CPU},
    [DISK_WAIT] = {"disk_wait_s", "waiting for the disk", IO},
    [MEMORY_WAIT] = {"memory_wait_s", "waiting for memory", MEMORY},
    [STOLEN] = {"stolen_s", "stolen by the host", HOST},
    [REST] = {"rest_s", "asleep or waiting for something else", UNEXPLAINED},
};

// What is known of what other programs cost a condition.
enum cost {
    COST_UNKNOWN, // nor whether it waited for them
    COST_SEVERAL, // several of its tasks may have had work at once
    COST_SLEEPS,  // it also slept, and may have slept the longer for it
    COST_NONE,    // its time does not grow with what it waits
    COST_FACTOR,
};

// Their names in records.
static const char *const cost_names[] = {[COST_SEVERAL] = "several",
                                         [COST_SLEEPS] = "sleeps",
                                         [COST_NONE] = "fixed-time",
                                         [COST_FACTOR] = NULL};

// The runs of one condition that are used, and what was found of them.
struct made {
    const struct settings *settings;
    struct critical critical;
    const struct account **run;
    size_t runs;
    double (*spent)[PARTS]; // of each run; NAN: not known
    struct threads threads;
    bool serial;       // no two of its tasks had work at the same time
    bool exact;        // what it waited behind other programs is known, not just a lower bound
    bool told;         // apart by the kernel: waiting behind others, and behind its own tasks
    bool fixed;        // it is a program that runs for a fixed time
    double queued_s;   // mean, at least, of its tasks' waiting while another of them ran
    bool known[PARTS]; // in every run
    struct interval part[PARTS];   // of the mean wall time
    struct interval factor;        // wall time by that without waiting for a CPU
    struct interval growth;        // of the wall time, with what is waited for a CPU
    double wall_s, seconds[PARTS]; // means
};

// What the record says of each part, whether there is so much time or not.
static void claim(const struct made *made, const struct times *times, double claims[PARTS])
{
    const double wait_s = times_part_s(times, CPU, &made->threads);
    for (enum part part = 0; part < REST; part++)
        claims[part] = times_part_s(times, parts[part].cause, &made->threads);
    // NAN: not known.
    claims[THROTTLED] = isnan(times->throttled_s) ? NAN : fmin(times->throttled_s, wait_s);
    claims[CPU_WAIT] = wait_s - known_or_0(claims[THROTTLED]);
    claims[REST] = 0;
}

// Shares out the wall time of each run: CPU time is exact, and goes first. Stalls of several
// threads may be longer than what it leaves, and steal is an estimate.
static void share_out(struct made *made)
{
    for (enum part part = 0; part < PARTS; part++)
        made->known[part] = true;
    for (size_t i = 0; i < made->runs; i++) {
        claim(made, &made->run[i]->times, made->spent[i]);
        for (enum part part = 0; part < PARTS; part++)
            made->known[part] = made->known[part] && isfinite(made->spent[i][part]);
    }
    for (size_t i = 0; i < made->runs; i++) {
        double left_s = made->run[i]->times.wall_s;
        for (enum part part = 0; part < REST; part++) {
            double *spent = &made->spent[i][part];
            *spent = made->known[part] ? fmin(fmax(*spent, 0), left_s) : NAN;
            left_s -= known_or_0(*spent);
        }
        made->spent[i][REST] = left_s;
    }
}

// What the runs waited for a CPU, and their wall times; or the wall times without that wait.
static struct pairs wait_pairs(const struct made *made, bool without)
{
    struct pairs pairs = {0};
    for (size_t i = 0; i < made->runs; i++) {
        const double wall_s = made->run[i]->times.wall_s, wait_s = made->spent[i][CPU_WAIT];
        pairs_sum(&pairs, without ? wall_s - wait_s : wait_s, wall_s);
    }
    return pairs;
}

// The ratio of the sums of a pair's two values over the runs, with Student's t; without bounds for
// a single run.
static struct interval ratio_of(struct made *made, const struct pairs *pairs)
{
    const double t =
        pairs->count > 1 ? critical_t(&made->critical, (double)pairs->count - 1) : (double)INFINITY;
    return interval_ratio(pairs, t, t);
}

// The slope of y over x, by least squares; without bounds for few runs, and where x does not vary.
static struct interval slope_of(struct made *made, const struct pairs *pairs)
{
    const double slope = pairs->xy / pairs->xx, freedom = (double)pairs->count - 2;
    if (pairs->count < RUNS_TO_FORECAST || !(pairs->xx > 0))
        return interval_unbounded(NAN);
    const double left = fmax(pairs->yy - slope * pairs->xy, 0) / freedom;
    const double off = critical_t(&made->critical, freedom) * sqrt(left / pairs->xx);
    return (struct interval){.center = slope, .low = slope - off, .high = slope + off};
}

static void measure_part(struct made *made, enum part part)
{
    struct pairs pairs = {0};
    double sum = 0;
    for (size_t i = 0; i < made->runs; i++) {
        pairs_sum(&pairs, made->run[i]->times.wall_s, made->spent[i][part]);
        sum += made->spent[i][part];
    }
    made->seconds[part] = sum / (double)made->runs;
    if (!made->known[part])
        return;
    // A share: Student's t does not know that.
    struct interval *share = &made->part[part];
    *share = ratio_of(made, &pairs);
    share->low = share->low < 0 ? 0 : share->low;
    share->high = share->high > 1 ? 1 : share->high;
}

// On one CPU one of them ran for all of the CPU time, so what is more than the wall time, together
// with the time in which one waited, is both; on several CPUs only the kernel tells.
static double queued_least_s(const struct account *run)
{
    const struct times *times = &run->times;
    if (isfinite(times->queued_s))
        return fmax(times->queued_s, 0);
    const double both_s = run->value[OWN_CPU] + times->cpu_s - times->wall_s;
    return times->cpus == 1 ? fmax(known_or_0(both_s), 0) : 0;
}

static void measure_tasks(struct made *made)
{
    double alone_s = 0, queued_s = 0;
    bool one_cpu_each = true;
    made->told = true;
    for (size_t i = 0; i < made->runs; i++) {
        const struct times *times = &made->run[i]->times;
        alone_s += times->alone_wait_s;
        queued_s += queued_least_s(made->run[i]);
        made->told = made->told && isfinite(times->queued_s);
        one_cpu_each = one_cpu_each && times->cpus == 1;
    }
    made->serial = made->threads.one || isfinite(alone_s);
    made->exact = made->serial || (made->told && one_cpu_each);
    made->queued_s = queued_s / (double)made->runs;
}

// False where nothing is known of its waiting.
static bool measure(struct made *made)
{
    const struct sums sums = times_sum(made->run, made->runs);
    made->threads = threads_of(&sums);
    made->wall_s = sums.wall_s / (double)made->runs;
    measure_tasks(made);
    share_out(made);
    for (enum part part = 0; part < PARTS; part++)
        measure_part(made, part);
    if (!made->known[COMPUTING] || !made->known[CPU_WAIT])
        return false;
    const struct pairs without = wait_pairs(made, true), waits = wait_pairs(made, false);
    made->factor = ratio_of(made, &without);
    made->growth = slope_of(made, &waits);
    return true;
}

// What it costs a target to wait is what it waits only where its tasks have work one at a time, and
// where it does not sleep until a moment that is given: then its time grows with its waiting.
static enum cost cost_of(const struct made *made)
{
    if (!made->serial && !made->told)
        return COST_UNKNOWN;
    if (made->fixed || made->growth.high < 0.5)
        return COST_NONE;
    if (!made->serial)
        return COST_SEVERAL;
    return made->part[REST].center <= little_rest || made->growth.low > 0.5 ? COST_FACTOR
                                                                            : COST_SLEEPS;
}

// ---- words ----

// "61 ± 2 %", "18 % (0 to 74 %)": of a part of the time.
static void say_part(FILE *stream, const struct made *made, enum part part)
{
    const struct interval *share = &made->part[part];
    const double error = fmax(share->high - share->center, share->center - share->low);
    const bool even =
        share->high - share->center > 0.9 * error && share->center - share->low > 0.9 * error;
    // What waited while another of its tasks computed may have been asleep for the others.
    if ((part == CPU_WAIT && !made->exact) || (part == REST && !made->serial && !made->told))
        fputs("at least ", stream);
    fprintf(stream, "%.0f", 100 * share->center);
    if (isfinite(error) && error >= 0.005 && even)
        fprintf(stream, " ± %.0f", 100 * error);
    fputs(" %", stream);
    if (isfinite(error) && error >= 0.005 && !even)
        fprintf(stream, " (%.0f to %.0f %%)", 100 * share->low, 100 * share->high);
    fprintf(stream, " %s", parts[part].words);
}

// Whom several threads or processes wait for.
static void say_queue(FILE *stream, const struct made *made, enum part part)
{
    char queued[NUMBER_SIZE];
    if (part == CPU_WAIT && !made->serial)
        fputs(made->told ? " behind other programs"
                         : " behind other programs, or behind its own threads or processes",
              stream);
    if (part == COMPUTING && made->queued_s >= worth_saying * made->wall_s)
        fprintf(
            stream,
            " (for at least %s some of its threads or processes waited for a CPU behind its own)",
            number_scaled(made->queued_s, "s", queued));
}

// "61 % computing, 39 ± 2 % waiting for a CPU": what is at least half a percent of it.
static char *words_of_parts(const struct made *made)
{
    char *text;
    size_t size;
    FILE *stream = must(open_memstream(&text, &size));
    for (enum part part = 0, said = 0; part < PARTS; part++) {
        if (!made->known[part] || !(made->part[part].center >= 0.005))
            continue;
        fputs(said++ > 0 ? ", " : "", stream);
        say_part(stream, made, part);
        say_queue(stream, made, part);
        if (part == REST && made->part[REST].center >= worth_saying && !made->known[DISK_WAIT])
            fputs(" (waiting for the disk and for memory is not counted here)", stream);
    }
    return stream_text(stream, &text);
}

// "0.69 s of 1.24 s it waited for a CPU: 2.3 times slower because of other programs; 0.55 s
// without them"
static char *words_of_factor(const struct made *made)
{
    const struct interval *factor = &made->factor;
    char waited[NUMBER_SIZE], wall[NUMBER_SIZE], without[NUMBER_SIZE], range[64] = "";
    if (isfinite(factor->error) && !factor->constant)
        snprintf(range, sizeof range, " (%.2f to %.2f)", factor->low, factor->high);
    return text_of("%s of %s it waited for a CPU: %.2f times slower%s because of other programs; "
                   "%s without them",
                   number_scaled(made->seconds[CPU_WAIT], "s", waited),
                   number_scaled(made->wall_s, "s", wall), factor->center, range,
                   number_scaled(made->wall_s - made->seconds[CPU_WAIT], "s", without));
}

// "at least 0.69 s of 1.24 s it waited for a CPU behind other programs; what that cost it is not
// known: ..."
static char *words_of_wait(const struct made *made, enum cost cost)
{
    char waited[NUMBER_SIZE], wall[NUMBER_SIZE], rest[NUMBER_SIZE];
    OWNED char *slept = text_of("what that cost it is not known: it also slept, or waited for "
                                "something else, for %s",
                                number_scaled(made->seconds[REST], "s", rest));
    // On one CPU nothing of it runs at once, but one may have slept while another one waited.
    OWNED char *most =
        text_of("that made it at most %.2f times slower: some of its threads or processes may have "
                "slept meanwhile",
                made->factor.center);
    const char *const words[] = {
        [COST_SEVERAL] = made->exact ? most
                                     : "what that cost it is not known: several of its threads or "
                                       "processes may have run or waited at once",
        [COST_SLEEPS] = slept,
        [COST_NONE] = made->fixed ? "it runs for a fixed time, and gets less done"
                                  : "its time does not grow with that wait",
    };
    return text_of("%s%s of %s it waited for a CPU behind other programs; %s",
                   made->exact ? "" : "at least ",
                   number_scaled(made->seconds[CPU_WAIT], "s", waited),
                   number_scaled(made->wall_s, "s", wall), words[cost]);
}

// ---- the steadier figure ----

// Runs that a mean of such figures takes to be known within that error, by its spread now.
static double runs_for(size_t n, double mean, double squares, double t, double error)
{
    const double variation = sqrt(squares / (double)(n - 1)) / mean;
    return ceil(fmax(pow(t * variation / error, 2), 2));
}

// The figure without waiting, where it needs far fewer runs; else null.
static json_t *steadier_json(struct made *made)
{
    if (made->runs < RUNS_TO_FORECAST)
        return json_null();
    const double t = critical_t(&made->critical, (double)made->runs - 1);
    const double error = made->settings->error;
    const struct pairs pairs = wait_pairs(made, true);
    const double wall = runs_for(pairs.count, pairs.mean_y, pairs.yy, t, error);
    const double without = runs_for(pairs.count, pairs.mean_x, pairs.xx, t, error);
    if (!(wall >= worth_offering * without))
        return json_null();
    char *text = text_of("--metric %s (its time without that wait) would be known within %.3g %% "
                         "after about %.0f runs, the wall time after %.0f",
                         unwaited, 100 * error, without, wall);
    return json_pack("{s:s, s:o, s:o, s:o}", "metric", unwaited, "runs", json_figure(without),
                     "wall_runs", json_figure(wall), "text", json_owned_text(text));
}

// ---- json ----

// What others cost a condition without a load; null where another few runs might say otherwise.
static json_t *others_json(struct made *made)
{
    const enum cost cost = cost_of(made);
    const bool is_known = cost == COST_FACTOR;
    const struct interval *sure = is_known ? &made->factor : &made->part[CPU_WAIT];
    const double least = is_known ? 1 : 0;
    const bool unsure = isfinite(sure->error) && !(sure->low > least);
    if (cost == COST_UNKNOWN || unsure || !(sure->center > least + worth_saying))
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:s?, s:o, s:o, s:o}", "factor",
                     json_figure(is_known ? made->factor.center : NAN), "ci",
                     is_known ? json_interval(&made->factor) : json_null(), "without_s",
                     json_figure(is_known ? made->wall_s - made->seconds[CPU_WAIT] : NAN), "why",
                     cost_names[cost], "waited_s", json_figure(made->seconds[CPU_WAIT]), "text",
                     json_owned_text(is_known ? words_of_factor(made) : words_of_wait(made, cost)),
                     "steadier", is_known ? steadier_json(made) : json_null());
}

static json_t *time_json(struct made *made, bool alone)
{
    json_t *shares = json_object(), *time = json_pack("{s:o}", "wall_s", json_figure(made->wall_s));
    for (enum part part = 0; part < PARTS; part++) {
        const double seconds = made->known[part] ? made->seconds[part] : NAN;
        json_object_set_new(time, parts[part].name, json_figure(seconds));
        json_object_set_new(shares, parts[part].name,
                            made->known[part] ? json_interval(&made->part[part]) : json_null());
    }
    json_extend(time, json_pack("{s:o, s:b, s:o, s:o, s:o}", "intervals", shares, "at_least",
                                !made->exact, "threads", json_figure(made->threads.busy), "text",
                                json_owned_text(words_of_parts(made)), "others",
                                alone ? others_json(made) : json_null()));
    return time;
}

static json_t *time_of(const struct session *session, size_t condition)
{
    struct made made = {.settings = session->settings,
                        .run = must(calloc(session->count + 1, sizeof *made.run)),
                        .spent = must(calloc(session->count + 1, sizeof *made.spent))};
    const bool alone = settings_load_name(made.settings, condition) == NULL;
    critical_init(&made.critical, made.settings->confidence);
    const char *adapter;
    made.fixed = fixed_time_of_condition(session, condition, &adapter);
    EACH_USED (run, session, condition)
        made.run[made.runs++] = &session->facts[run->fact].account;
    json_t *time = made.runs > 0 && measure(&made) ? time_json(&made, alone) : json_null();
    critical_free(&made.critical);
    free(made.spent);
    free(made.run);
    return time;
}

void waiting_add(const struct session *session, json_t *conditions)
{
    // A client's time is also its service's, whose CPU time and waiting it does not show.
    const bool is_client = service_is_there(session->experiment);
    for (size_t i = 0; i < json_array_size(conditions); i++)
        json_object_set_new(json_array_get(conditions, i), "time",
                            is_client ? json_null() : time_of(session, i));
}

#include "carry.h"

#include "harness/stats/carry_over.h"
#include "harness/stats/decide.h"
#include "harness/stats/metrics.h"
#include "simulation.h"
#include "workers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// There are many rows, and what they show is large: a fifth of the experiments is enough.
enum { CHUNK = 250, FEWER = 5, RULES = 3, NONE = 0, ONE = 1, AUTO = 2, MOST_LOADS = 4 };

static const double true_ratio = 1.25;
static const double false_alarms = 2; // percent, at most

// After a loaded run the next unloaded one takes 1 + `size` times as long, and each
// unloaded run leaves the share `decay` of what is left to the next.
struct effect {
    double size, decay;
};

// Sizes in standard deviations of a single run would differ from row to row; these are
// of the baseline's time, and the first is none.
static const struct effect effects[] = {
    {0, 0}, {0.02, 0}, {0.05, 0}, {0.1, 0}, {0.3, 0}, {3, 0}, {0.3, 0.3}, {0.3, 0.6}, {0.3, 0.9},
};
enum { EFFECTS = sizeof effects / sizeof *effects };

static const char *const shown = // all of the others without carry-over alone
    "normal-1%,normal-5%,normal-20%";

struct sums {
    size_t experiments, covered, silent, flagged, grown;
    double made; // runs
};

struct job {
    const struct plan *plan;
    struct cell cell;
    struct effect effect;
};

// What a load has left behind.
struct trace {
    const struct effect *effect;
    double left;
};

static double draw(struct stream *stream, struct trace *trace, bool loaded)
{
    const double value = stream_draw(stream, loaded, true_ratio) * (loaded ? 1 : 1 + trace->left);
    trace->left = loaded ? trace->effect->size : trace->left * trace->effect->decay;
    return value;
}

// One experiment. Returns how many runs were made, washout runs included; 0 if memory ran out.
static size_t measure(struct session *session, struct stream *stream, struct trace *trace)
{
    for (size_t made = 0;; made++) {
        const struct decision next = decide(session);
        if (next.stop != STOP_NOT)
            return made;
        if (next.washout == WASHOUT_RUN) {
            draw(stream, trace, false);
            session_note(session, &(struct observation){.washout = true});
            continue;
        }
        struct observation run = {.condition = (int)next.condition,
                                  .block = next.block,
                                  .order = next.order,
                                  .washed = next.washed};
        const bool loaded = settings_is_loaded(session->settings, run.condition);
        for (size_t m = 0; m < session->settings->metric_count; m++)
            run.value[m] = NAN;
        run.value[WALL_S] = draw(stream, trace, loaded);
        if (session_add(session, &run) != SESSION_ADDED)
            return 0;
    }
}

static void judge(struct session *session, size_t made, struct sums *sums)
{
    // Several loads are judged by the first: each interval is at 95 % by itself.
    const struct interval ratio = metric_ratio(session, 1, AGAINST_ALONE, WALL_S);
    const bool covered = ratio.low <= true_ratio && true_ratio <= ratio.high;
    bool flagged = carry_over_is_slow(session);
    for (size_t i = 1; i < session->settings->condition_count; i++)
        flagged = flagged || carry_over_shows(session, i, WALL_S);
    sums->experiments++;
    sums->covered += covered ? 1 : 0;
    sums->flagged += flagged ? 1 : 0;
    sums->silent += covered || flagged ? 0 : 1;
    sums->grown += session->unwashed > 0 ? 1 : 0;
    sums->made += (double)made;
}

static bool run_chunk(void *context, size_t number, void *part)
{
    const struct job *job = context;
    struct simulation simulation;
    bool good = simulation_init(&simulation, &job->cell.settings, job->plan->seed, number);
    for (size_t i = 0; good && i < CHUNK; i++) {
        struct stream stream;
        struct trace trace = {.effect = &job->effect};
        simulation_next(&simulation);
        stream_begin(&stream, job->cell.population, false, simulation.rng);
        const size_t made = measure(&simulation.session, &stream, &trace);
        good = made > 0;
        if (good)
            judge(&simulation.session, made, part);
    }
    simulation_free(&simulation);
    return good;
}

static void add(void *sum, const void *found)
{
    struct sums *sums = sum;
    const struct sums *part = found;
    sums->experiments += part->experiments;
    sums->covered += part->covered;
    sums->silent += part->silent;
    sums->flagged += part->flagged;
    sums->grown += part->grown;
    sums->made += part->made;
}

static bool simulate(struct job *job, struct sums *sums)
{
    *sums = (struct sums){0};
    const size_t wanted = job->plan->experiments / (job->plan->quick ? 1 : FEWER);
    const struct workers_sum what = {run_chunk, add, sizeof *sums};
    return workers_sum(&what, (wanted + CHUNK - 1) / CHUNK, job->plan->threads, job, sums);
}

static double percent(size_t count, const struct sums *sums)
{
    return 100 * (double)count / (double)sums->experiments;
}

// That many percent are more than chance explains where at most `allowed` are.
static bool exceeds(double wrong, double allowed, const struct sums *sums)
{
    return wrong > allowed + 3 * sqrt(allowed * (100 - allowed) / (double)sums->experiments);
}

static bool simulate_rule(const struct plan *plan, const struct population *population,
                          size_t loads, const struct effect *effect, size_t rule, struct sums *sums)
{
    static char names[MOST_LOADS + 1][8] = {"base", "load", "two", "three", "four"};
    struct job job = {.plan = plan, .effect = *effect};
    struct settings *settings = &job.cell.settings;
    job.cell = plan_cell(plan, population, &settings_of_plan[SETTING_DEFAULT], true_ratio);
    settings->condition_count = loads + 1;
    for (size_t i = 0; i <= loads; i++)
        settings->conditions[i] = names[i];
    settings->washout.automatic = rule == AUTO;
    settings->washout.runs = rule == ONE ? 1 : 0;
    return simulate(&job, sums);
}

static void print_row(const struct population *population, size_t loads,
                      const struct effect *effect, const struct sums *sums)
{
    const struct sums *none = &sums[NONE], *one = &sums[ONE], *automatic = &sums[AUTO];
    printf("%-17s %5zu %4.0f %5.1f |%7.2f %6.2f %6.2f %6.2f |%7.2f %6.2f %6.2f |", population->name,
           loads, 100 * effect->size, effect->decay, percent(none->covered, none),
           percent(none->flagged, none), percent(none->silent, none),
           none->made / (double)none->experiments, percent(one->covered, one),
           percent(one->silent, one), one->made / none->made);
    printf("%7.2f %6.2f %6.2f %6.2f %6.2f\n", percent(automatic->covered, automatic),
           percent(automatic->grown, automatic), percent(automatic->flagged, automatic),
           percent(automatic->silent, automatic), automatic->made / none->made);
    fflush(stdout);
}

static bool row(const struct plan *plan, const struct population *population, size_t loads,
                const struct effect *effect)
{
    struct sums sums[RULES];
    for (size_t rule = 0; rule < RULES; rule++)
        if (!simulate_rule(plan, population, loads, effect, rule, &sums[rule]))
            return false;
    print_row(population, loads, effect, sums);
    const double flagged = percent(sums[NONE].flagged, &sums[NONE]);
    if (!plan->quick || effect->size > 0 || !exceeds(flagged, false_alarms, &sums[NONE]))
        return true;
    fprintf(stderr, "broken: %s: false alarms of carry-over in %.2f %% of the sessions\n",
            population->name, flagged);
    return false;
}

bool carry_table(const struct plan *plan)
{
    bool good = true;
    puts("\nCarry-over: an unloaded run after a loaded one takes so many percent longer, of which "
         "the\nshare `decay` is left to the next. Slowdown 1.25, default settings; percent but for "
         "runs\n(all that were made) and their ratio to those without washout");
    printf("%-23s %11s |%28s |%21s |%35s\n", "", "", "--washout 0", "--washout 1",
           "--washout auto");
    printf("%-17s %s %4s %5s |%7s %6s %6s %6s |%7s %6s %6s |%7s %6s %6s %6s %6s\n", "population",
           "loads", "size", "decay", "cover", "flag", "w&u", "runs", "cover", "w&u", "ratio",
           "cover", "grown", "flag", "w&u", "ratio");
    for (size_t i = 0; i < population_count; i++)
        for (size_t loads = 1; loads <= MOST_LOADS; loads += MOST_LOADS - 1)
            for (size_t e = 0; e < EFFECTS; e++)
                if (plan_wants(plan->populations, populations[i].name) &&
                    (e == 0 || plan_wants(shown, populations[i].name)) &&
                    (!plan->quick || (e == 0 && loads == 1)))
                    good = row(plan, &populations[i], loads, &effects[e]) && good;
    return good;
}

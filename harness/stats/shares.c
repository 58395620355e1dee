// Shares out the extra time of a slowdown among its causes, and says so in words.
#include "shares.h"

#include "json.h"
#include "session.h"

#include "common/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The extra time of a slowdown, shared out among its causes, from pairs of runs.
struct shares {
    // False: the target was on the CPUs of this machine, or waited here, for a small
    // part of its time only; all of the slowdown is unexplained then.
    bool attributed;
    double present; // that part, under load
    double total;   // percent of the mean time alone
    // Percentage points, 0 or more, that add up to `total`, and the same in seconds.
    double points[CAUSES], seconds[CAUSES];
    struct interval interval[CAUSES]; // of the points, each by itself; NAN: not known
    double at_most[CAUSES];   // points by the machine's figures; NAN: not needed, or not known
    enum stall_source source; // the weakest among the runs
    bool is_more;             // the CPU's share is a lower bound
    bool is_overlapping;      // the stalls are longer than the time there is: proportional
    bool several;             // several threads or processes use the CPU
    bool ambiguous;           // overlapping, or means over several threads
    bool moves;               // the target may use several CPUs
    double threads; // CPUs that the target alone keeps busy while it does not wait, 1 or more
};

// CPU time is instructions x cycles per instruction / clock, so the first three
// explain it between them; cache misses are one cause of the second among others,
// and get no share of the time. Ratios, loaded over alone; NAN: not known.
enum factor { INSTRUCTION, CYCLES_PER_INSTRUCTION, CYCLES_PER_S, MISSES_PER_INSTRUCTION, FACTORS };

static const char *const factor_names[FACTORS] = {"instructions", "cycles_per_instruction",
                                                  "cycles_per_s", "misses_per_instruction"};
static const char *const factor_words[FACTORS] = {"instructions", "cycles per instruction", "clock",
                                                  "cache misses per instruction"};

struct hardware {
    double factor[FACTORS];
    double cpu_time; // of what the counters count
};

// Below this part of its time a target's own CPU time and waiting here say nothing
// of what it took the rest for: docker and ssh, which wait for others, use some percent.
static const double least_present = 0.10;
// But where they make up this part of the extra time, they do.
static const double most_of_it = 0.5;
// What its interval does not keep above 0 is not worth a word below this part of all.
static const double small_part = 0.10;
// Stalls and clocks are read one after the other: a little too much is no overlap.
static const double overlapping_from = 1.05;

// Runs alone and loaded: those at the same place are of one block.
struct given {
    const struct account **before, **after;
    size_t n;
    struct threads threads;
    double before_s; // mean wall time alone
};

static const enum cause waits[] = {HOST, CPU, MEMORY, IO};
enum { WAITS = sizeof waits / sizeof *waits };

static double extra_s(const struct given *given, size_t i, enum cause cause)
{
    return times_part_s(&given->after[i]->times, cause, &given->threads) -
           times_part_s(&given->before[i]->times, cause, &given->threads);
}

// Points of one cause, in percent of the time alone; NAN where a run does not say. UNEXPLAINED:
// what the shares leave over, each cause's times `scale`.
static struct interval points_of(const struct given *given, enum cause cause, const double *scale,
                                 struct critical *critical)
{
    struct pairs pairs = {0};
    for (size_t i = 0; i < given->n; i++) {
        const double before_s = given->before[i]->times.wall_s;
        double extra = given->after[i]->times.wall_s - before_s;
        for (enum cause k = 0; k < UNEXPLAINED && cause == UNEXPLAINED; k++)
            extra -= scale[k] > 0 ? scale[k] * extra_s(given, i, k) : 0;
        pairs_sum(&pairs, before_s, cause == UNEXPLAINED ? extra : extra_s(given, i, cause));
    }
    const double t = critical_t(critical, (double)pairs.count - 1);
    return interval_scaled(interval_ratio(&pairs, t, t), 100);
}

// Where the target's own figures leave a cause open: what the machine's stalls allow.
static void bound(struct shares *shares, const struct given *given)
{
    for (enum cause k = CPU; k <= IO; k++) {
        double allowed_s = 0; // NAN where a run does not know them
        for (size_t i = 0; i < given->n; i++)
            allowed_s += given->after[i]->times.at_most_s[k];
        const double most = allowed_s / (double)given->n / given->before_s * 100;
        const bool open = isnan(shares->interval[k].center) || (k == CPU && shares->is_more);
        if (open && !isnan(most))
            shares->at_most[k] = fmin(shares->points[k] + shares->points[UNEXPLAINED], most);
    }
}

// The larger of the two that are left without the largest.
static double middle(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

// What each share is multiplied by. CPU time is exact and goes first; the waits
// share what it leaves.
static void share_out(struct shares *shares, double *scale)
{
    const double *points = shares->points;
    double claims = 0;
    for (size_t i = 0; i < WAITS; i++)
        claims += points[waits[i]];
    scale[EXECUTION] = points[EXECUTION] > 0 ? fmin(shares->total / points[EXECUTION], 1) : 0;
    const double rest = fmax(shares->total - scale[EXECUTION] * points[EXECUTION], 0);
    shares->is_overlapping = claims > overlapping_from * rest &&
                             middle(points[CPU], points[MEMORY], points[IO]) > rest / 10;
    for (size_t i = 0; i < WAITS; i++)
        scale[waits[i]] = points[waits[i]] > 0 ? fmin(rest / claims, 1) : 0;
}

static void measure_shares(struct shares *shares, const struct given *given,
                           struct critical *critical)
{
    double scale[CAUSES] = {0}, explained = 0;
    for (enum cause k = 0; k < UNEXPLAINED; k++) {
        const struct interval one = points_of(given, k, scale, critical);
        shares->interval[k] = one;
        // What has no bounds (NAN) is not worth saying.
        shares->points[k] =
            one.low > 0 || (isfinite(one.low) && one.center >= small_part * shares->total)
                ? one.center
                : 0;
    }
    share_out(shares, scale);
    for (enum cause k = 0; k < UNEXPLAINED; k++) {
        if (scale[k] > 0)
            shares->interval[k] = interval_scaled(shares->interval[k], scale[k]);
        shares->points[k] *= scale[k];
        explained += shares->points[k];
    }
    shares->points[UNEXPLAINED] = fmax(shares->total - explained, 0);
    shares->interval[UNEXPLAINED] = points_of(given, UNEXPLAINED, scale, critical);
    shares->ambiguous =
        shares->is_overlapping ||
        (shares->several && shares->points[CPU] + shares->points[MEMORY] + shares->points[IO] > 0);
    shares->attributed =
        shares->present >= least_present || explained >= most_of_it * shares->total;
}

// A small share that its interval does not keep above 0 counts as unexplained: it may be nothing.
// The intervals are Fieller's.
static struct shares shares_of(struct given *given, struct critical *critical)
{
    const struct sums alone = times_sum(given->before, given->n);
    const struct sums loaded = times_sum(given->after, given->n);
    const struct threads quiet = threads_of(&alone), busy = threads_of(&loaded);
    const bool several = quiet.several || busy.several;
    given->threads = (struct threads){.one = quiet.one && busy.one,
                                      .several = several,
                                      .busy = several ? threads_busy(&alone) : 1};
    given->before_s = alone.wall_s / (double)given->n;
    struct shares shares = {
        .present = fmin((loaded.cpu_s + loaded.waits_s) / loaded.wall_s, 1),
        .total = (loaded.wall_s / alone.wall_s - 1) * 100,
        .at_most = {NAN, NAN, NAN, NAN, NAN, NAN},
        .source = SOURCE_CGROUP,
        .several = several,
        .moves = alone.cpus > 1 || loaded.cpus > 1,
        .threads = given->threads.busy,
    };
    for (size_t i = 0; i < 2 * given->n; i++) {
        const struct account *run = (i % 2 ? given->after : given->before)[i / 2];
        shares.source = run->times.source < shares.source ? run->times.source : shares.source;
    }
    shares.is_more = shares.source == SOURCE_SCHEDSTAT && !given->threads.one;
    measure_shares(&shares, given, critical);
    if (shares.attributed)
        bound(&shares, given);
    for (enum cause k = 0; k < CAUSES; k++) {
        if (!shares.attributed)
            shares.points[k] = k == UNEXPLAINED ? shares.total : 0;
        shares.seconds[k] = shares.points[k] / 100 * given->before_s;
    }
    return shares;
}

static const char *const cause_names[CAUSES] = {
    [EXECUTION] = "execution", [HOST] = "steal", [CPU] = "cpu",
    [MEMORY] = "memory",       [IO] = "io",      [UNEXPLAINED] = "unexplained",
};

// The order in which equal points come.
static const struct {
    enum cause cause;
    const char *words, *after_points; // "12 points ...": of a bound
} spoken[] = {
    {CPU, "waiting for the CPU", "waiting for the CPU"},
    {EXECUTION, NULL, NULL},
    {MEMORY, "waiting for memory", "for memory"},
    {IO, "waiting for the disk", "for the disk"},
    {HOST, "taken by the host", NULL},
};
enum { SPOKEN = sizeof spoken / sizeof *spoken };

// Whether anything is known of it.
static bool has_hardware(const struct hardware *hardware)
{
    return !isnan(hardware->factor[INSTRUCTION]) ||
           !isnan(hardware->factor[CYCLES_PER_INSTRUCTION]) ||
           !isnan(hardware->factor[CYCLES_PER_S]);
}

enum execution { SLOWER, SLOWER_OR_SPINNING, INSTRUCTIONS_ONLY, BOTH, EXECUTIONS };

static const struct {
    const char *name, *words;
} executions[EXECUTIONS] = {
    [SLOWER] = {"slower", "slower execution"},
    [SLOWER_OR_SPINNING] = {"slower-or-spinning", "more CPU time (slower execution or spinning)"},
    [INSTRUCTIONS_ONLY] = {"instructions", "more instructions (spinning or extra work)"},
    [BOTH] = {"both", "more CPU time (slower execution and more instructions)"},
};

// What the growth of CPU time is: SLOWER_OR_SPINNING where one of several threads may spin while
// it waits for another, and no counters show it. Factors multiply, so their logarithms are the
// parts that each has in the growth.
static enum execution execution_of(const struct shares *shares, const struct hardware *hardware)
{
    const double part = log(hardware->factor[INSTRUCTION]) / log(hardware->cpu_time);
    if (isnan(part) || !(hardware->cpu_time > 1))
        return shares->several ? SLOWER_OR_SPINNING : SLOWER;
    if (part > 0.8)
        return INSTRUCTIONS_ONLY;
    return part < 0.2 ? SLOWER : BOTH;
}

// A figure in units of the last digit that is shown.
struct point {
    const char *words;
    bool is_more;
    double value, seen; // seen: in points
    const struct interval *interval;
};

// A stable sort of few.
static void sort(struct point *list, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && list[k].value > list[k - 1].value; k--) {
            const struct point swapped = list[k];
            list[k] = list[k - 1];
            list[k - 1] = swapped;
        }
}

// "31 ± 2", "31 [2, 94]" where the sides differ, the error with one more digit where it would be 0;
// no more than that. `seen`: what the interval is of, before it was rounded.
static void say_figure(FILE *text, double value, int digits, double seen,
                       const struct interval *interval)
{
    static const double least[] = {0.5, 0.05, 0.005}; // that is not 0 with so many digits
    const double error = (interval->high - interval->low) / 2;
    const int error_digits = error < least[digits] ? digits + 1 : digits;
    fprintf(text, "%.*f", digits, value);
    if (!(error >= least[error_digits]))
        return;
    if (fabs(interval->high + interval->low - 2 * seen) > pow(10, -error_digits))
        fprintf(text, " [%.*f, %.*f]", error_digits, interval->low + 0.0, error_digits,
                interval->high);
    else
        fprintf(text, " ± %.*f", error_digits, error);
}

// Points as words: rounded so that they add up to the rounded whole.
static void say_points(FILE *text, const struct shares *shares, const char *execution)
{
    const int digits = shares->total >= 10 ? 0 : 1;
    const double unit = digits == 0 ? 1 : 10, whole = round(shares->total * unit);
    struct point list[SPOKEN];
    double left = whole;
    for (size_t i = 0; i < SPOKEN; i++) {
        const enum cause cause = spoken[i].cause;
        list[i] = (struct point){
            .words = cause == EXECUTION ? execution : spoken[i].words,
            .is_more = cause == CPU && shares->is_more,
            .value = round(shares->points[cause] * unit),
            .seen = shares->points[cause],
            .interval = &shares->interval[cause],
        };
        left -= list[i].value;
    }
    sort(list, SPOKEN);
    if (left < 0)
        list[0].value += left;
    const char *points_word = " points";
    fprintf(text, "+%.*f %%: ", digits, whole / unit);
    for (size_t i = 0; i < SPOKEN; i++) {
        if (!(list[i].value > 0))
            continue;
        fputs(list[i].is_more ? "at least " : "", text);
        say_figure(text, list[i].value / unit, digits, list[i].seen, list[i].interval);
        fprintf(text, "%s %s, ", points_word, list[i].words);
        points_word = "";
    }
    static const struct interval none = {.low = NAN, .high = NAN};
    say_figure(text, fmax(left, 0) / unit, digits, shares->points[UNEXPLAINED],
               left > 0 ? &shares->interval[UNEXPLAINED] : &none);
    fprintf(text, "%s unexplained", points_word);
}

// " (cycles per instruction x 1.31, cache misses per instruction x 4.20)": what
// moved by 2 % or more.
static void say_hardware(FILE *text, const struct hardware *hardware)
{
    const char *before = " (";
    for (enum factor i = 0; i < FACTORS; i++) {
        const double times = hardware->factor[i];
        if (!(fabs(times - 1) >= 0.02))
            continue;
        fprintf(text, "%s%s x %.2f", before, factor_words[i], round(times * 100) / 100);
        before = ", ";
    }
    fputs(before[0] == ',' ? ")" : "", text);
}

// What of the unexplained the machine's figures would allow.
static void say_bounds(FILE *text, const struct shares *shares)
{
    const int digits = shares->total >= 10 ? 0 : 1;
    const double least = digits == 0 ? 0.5 : 0.05;
    const char *before = " (by the machine's figures at most ";
    if (!(shares->points[UNEXPLAINED] >= least))
        return;
    for (size_t i = 0; i < SPOKEN; i++) {
        const double most = shares->at_most[spoken[i].cause];
        if (!(most >= least))
            continue;
        const bool first = before[0] == ' ', one = digits == 0 && most < 1.5;
        fprintf(text, "%s%.*f%s %s", before, digits, most,
                !first ? "" : (one ? " point" : " points"),
                first ? spoken[i].words : spoken[i].after_points);
        before = ", ";
    }
    fputs(before[0] == ',' ? ")" : "", text);
}

static bool has_waits(const struct shares *shares)
{
    return shares->points[CPU] + shares->points[MEMORY] + shares->points[IO] > 0;
}

static void say_doubts(FILE *text, const struct shares *shares)
{
    if (shares->source == SOURCE_NONE)
        fputs(" (this kernel reports no stalls)", text);
    else if (shares->is_overlapping)
        fputs(" (the stalls are longer than the time there is, as those of several threads may be: "
              "shares of waiting are proportional)",
              text);
    else if (shares->several && has_waits(shares))
        fputs(" (shares of waiting are means over the target's threads)", text);
    else if (shares->moves && has_waits(shares) && shares->points[UNEXPLAINED] > shares->total / 10)
        fputs(" (stalls of a target that moves between CPUs are counted too low: bind it to one "
              "with --target-cpus)",
              text);
}

// "half: +37 %: 31 ± 2 points waiting for the CPU, 6 ± 2 unexplained", to be freed. `statistic`:
// that of the slowdown, where it is not the mean, which is what is shared out; else NULL.
static char *causes_text(const char *condition, const char *statistic, const struct shares *shares,
                         const struct hardware *hardware)
{
    char *text;
    size_t size;
    FILE *stream = must(open_memstream(&text, &size));
    fprintf(stream, "%s: %s", condition, statistic ? "mean " : "");
    if (shares->attributed) {
        say_points(stream, shares, executions[execution_of(shares, hardware)].words);
        if (has_hardware(hardware))
            say_hardware(stream, hardware);
        say_bounds(stream, shares);
        say_doubts(stream, shares);
    } else {
        fprintf(stream,
                "+%.*f %%: no attribution: the target was mostly not on a CPU of this machine "
                "(%.2g %% of its time): launchers and clients, such as docker and ssh, wait for "
                "work elsewhere",
                shares->total >= 10 ? 0 : 1, shares->total, shares->present * 100);
    }
    return stream_text(stream, &text);
}

// ---- the slowdowns of a session ----

// Where the extra time of a slowdown went, from the runs' own records.
//
// Between the target alone and the target under a load, wall time grows by two
// things: the target's own CPU time may grow (slower execution: caches, memory
// bandwidth, clock, a shared core; or more instructions: threads that spin), and
// the time in which it is off the CPU. The records show the two apart exactly for
// a target with one thread; for several, CPU time is divided by the number of CPUs
// that the target keeps busy alone.
//
// The time off the CPU is explained by the target's own stalls, as far as these go,
// and by no others: those of the machine include a load's own, so they are an upper
// bound, and given as one. What is left is unexplained: a target that is off the CPU
// may wait for a CPU or a disk, but also for a lock, a timer, the network.

// Mean over the runs that know the figure; NAN when none does.
static double mean_of(const struct account *const *runs, size_t count, enum mean which)
{
    double sum = 0, known = 0;
    for (size_t i = 0; i < count; i++) {
        const double value = runs[i]->value[which];
        if (isnan(value))
            continue;
        sum += value;
        known++;
    }
    return known > 0 ? sum / known : NAN;
}

static double ratio_of(double before, double after)
{
    return before > 0 && after > 0 ? after / before : NAN;
}

static struct hardware count_hardware(const struct given *given, const double *before,
                                      const double *after)
{
    bool user_only = false;
    for (size_t i = 0; i < given->n; i++)
        user_only = user_only || given->after[i]->user_only;
    const double base_s = before[USER] + (user_only ? 0 : before[SYSTEM]);
    const double loaded_s = after[USER] + (user_only ? 0 : after[SYSTEM]);
    const double instructions = ratio_of(before[INSTRUCTIONS], after[INSTRUCTIONS]);
    const double cycles = ratio_of(before[CYCLES], after[CYCLES]);
    return (struct hardware){
        .factor = {instructions, ratio_of(instructions, cycles),
                   ratio_of(ratio_of(base_s, loaded_s), cycles),
                   ratio_of(instructions, ratio_of(before[MISSES], after[MISSES]))},
        .cpu_time = ratio_of(base_s, loaded_s),
    };
}

static json_t *figures_json(const char *const *names, const double *values, size_t first,
                            size_t end)
{
    json_t *object = json_object();
    for (size_t i = first; i < end; i++)
        json_object_set_new(object, names[i], json_figure(values[i]));
    return object;
}

static json_t *shares_json(const struct shares *shares, const struct hardware *hardware)
{
    static const char *const sources[] = {[SOURCE_NONE] = NULL,
                                          [SOURCE_MACHINE] = "machine",
                                          [SOURCE_SCHEDSTAT] = "schedstat",
                                          [SOURCE_CGROUP] = "cgroup"};
    json_t *intervals = json_object();
    for (enum cause i = 0; i < CAUSES; i++)
        json_object_set_new(intervals, cause_names[i],
                            json_bounds(shares->interval[i].low, shares->interval[i].high));
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:s?, s:o, s:b, s:b, s:o, s:o, s:s, s:o}", "total",
        json_figure(shares->total), "points", figures_json(cause_names, shares->points, 0, CAUSES),
        "seconds", figures_json(cause_names, shares->seconds, 0, CAUSES), "intervals", intervals,
        "source", sources[shares->source], "at_most",
        figures_json(cause_names, shares->at_most, CPU, IO + 1), "ambiguous", shares->ambiguous,
        "attributed", shares->attributed, "present", json_figure(shares->present), "threads",
        json_figure(shares->threads), "execution", executions[execution_of(shares, hardware)].name,
        "counters",
        has_hardware(hardware) ? figures_json(factor_names, hardware->factor, 0, FACTORS)
                               : json_null());
}

// How the extra time of a slowdown is shared out. A new reference; null where there is none: the
// records have no CPU times, or no time is extra.
static json_t *attribution_of(struct given *given, struct critical *critical,
                              const json_t *slowdown)
{
    const char *statistic = json_text_or_empty(slowdown, "statistic");
    double alone[MEANS], loaded[MEANS], extra[MEANS];
    json_t *absent = json_array();
    for (enum mean i = 0; i < MEANS; i++) {
        alone[i] = mean_of(given->before, given->n, i);
        loaded[i] = mean_of(given->after, given->n, i);
        extra[i] = loaded[i] - alone[i];
        if (i >= INSTRUCTIONS && isnan(extra[i]))
            json_array_append_new(absent, json_string(mean_names[i]));
    }
    if (!(extra[WALL] > 0) || isnan(extra[USER]) || isnan(extra[SYSTEM])) {
        json_decref(absent);
        return json_null();
    }
    const struct shares shares = shares_of(given, critical);
    const struct hardware hardware = count_hardware(given, alone, loaded);
    json_t *object = shares_json(&shares, &hardware);
    // What is shared out is the mean.
    char *text = causes_text(json_text_at(slowdown, "condition"),
                             strcmp(statistic, "mean") == 0 ? NULL : statistic, &shares, &hardware);
    json_extend(object,
                json_pack("{s:b, s:o, s:o, s:o}", "pressure_known", shares.source != SOURCE_NONE,
                          "extra", figures_json(mean_names, extra, 0, MEANS), "absent", absent,
                          "text", json_owned_text(text)));
    return object;
}

static json_t *attribute(struct session *session, const json_t *slowdown)
{
    const struct settings *settings = session->settings;
    const int condition = settings_condition(settings, json_text_at(slowdown, "condition"));
    // A client's time is also its service's, whose CPU time and waiting it does not show.
    if (service_is_there(session->experiment) ||
        strcmp(json_text_at(slowdown, "metric"), settings->metrics.item[WALL_S].name) != 0 ||
        !(json_number_at(slowdown, "ratio") > 1) || condition <= 0 ||
        condition == (int)settings_aa(settings) ||
        !json_is_true(json_object_get(slowdown, "distinguishable")))
        return json_null();
    OWNED const struct account **before = must(calloc(session->count + 1, sizeof *before)),
                               **after = must(calloc(session->count + 1, sizeof *after));
    struct given given = {.before = before, .after = after};
    for (size_t i = 0; i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        const int base = run->condition == condition ? session_partner(session, run) : -1;
        if (base < 0)
            continue;
        before[given.n] = &session->facts[session->runs[base].fact].account;
        after[given.n++] = &session->facts[run->fact].account;
    }
    return attribution_of(&given, &session->critical, slowdown);
}

void attribution_add(struct session *session, json_t *summary)
{
    JSON_EACH (slowdown, json_object_get(summary, "slowdowns"))
        json_object_set_new(slowdown, "attribution", attribute(session, slowdown));
}

#include "causes.h"

#include "shares.h"

#include "common/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *const cause_names[CAUSES] = {
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

bool causes_has_hardware(const struct hardware *hardware)
{
    return !isnan(hardware->instructions) ||
           !(isnan(hardware->cycles_per_instruction) && isnan(hardware->cycles_per_s));
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

// Factors multiply, so their logarithms are the parts that each has in the growth.
static enum execution execution_of(const struct shares *shares, const struct hardware *hardware)
{
    const double part = log(hardware->instructions) / log(hardware->cpu_time);
    if (isnan(part) || !(hardware->cpu_time > 1))
        return shares->several ? SLOWER_OR_SPINNING : SLOWER;
    return part > 0.8 ? INSTRUCTIONS_ONLY : part < 0.2 ? SLOWER : BOTH;
}

const char *causes_execution(const struct shares *shares, const struct hardware *hardware)
{
    return executions[execution_of(shares, hardware)].name;
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
    const double error = (interval->high - interval->low) / 2;
    const int error_digits = error < (digits == 0 ? 0.5 : 0.05) ? digits + 1 : digits;
    fprintf(text, "%.*f", digits, value);
    if (!(error >= (error_digits == 0 ? 0.5 : error_digits == 1 ? 0.05 : 0.005)))
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
    const struct {
        const char *name;
        double times;
    } list[] = {
        {"instructions", hardware->instructions},
        {"cycles per instruction", hardware->cycles_per_instruction},
        {"clock", hardware->cycles_per_s},
        {"cache misses per instruction", hardware->misses_per_instruction},
    };
    const char *before = " (";
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (!(fabs(list[i].times - 1) >= 0.02))
            continue;
        fprintf(text, "%s%s x %.2f", before, list[i].name, round(list[i].times * 100) / 100);
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

static bool waits(const struct shares *shares)
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
    else if (shares->several && waits(shares))
        fputs(" (shares of waiting are means over the target's threads)", text);
    else if (shares->moves && waits(shares) && shares->points[UNEXPLAINED] > shares->total / 10)
        fputs(" (stalls of a target that moves between CPUs are counted too low: bind it to one "
              "with --target-cpus)",
              text);
}

char *causes_text(const char *condition, const char *statistic, const struct shares *shares,
                  const struct hardware *hardware)
{
    char *text;
    size_t size;
    FILE *stream = must(open_memstream(&text, &size));
    fprintf(stream, "%s: %s", condition, statistic ? "mean " : "");
    if (shares->attributed) {
        say_points(stream, shares, executions[execution_of(shares, hardware)].words);
        if (causes_has_hardware(hardware))
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

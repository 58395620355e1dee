#include "causes.h"

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
    const char *words;
} spoken[] = {
    {CPU, "waiting for the CPU"}, {EXECUTION, "slower execution"}, {MEMORY, "waiting for memory"},
    {IO, "waiting for the disk"}, {HOST, "taken by the host"},
};
enum { SPOKEN = sizeof spoken / sizeof *spoken };

bool causes_has_hardware(const struct hardware *hardware)
{
    return !isnan(hardware->instructions) ||
           !(isnan(hardware->cycles_per_instruction) && isnan(hardware->cycles_per_s));
}

struct point {
    const char *words;
    double value; // rounded, in units of the last digit shown
};

// Points as words: rounded so that they add up to the rounded whole.
static void say_points(FILE *text, const char *name, const double *points, double total)
{
    const int digits = total >= 10 ? 0 : 1;
    const double unit = digits == 0 ? 1 : 10, whole = round(total * unit);
    struct point list[SPOKEN];
    double left = whole;
    for (size_t i = 0; i < SPOKEN; i++) {
        list[i] = (struct point){spoken[i].words, round(points[spoken[i].cause] * unit)};
        left -= list[i].value;
    }
    // A stable sort of five.
    for (size_t i = 1; i < SPOKEN; i++)
        for (size_t k = i; k > 0 && list[k].value > list[k - 1].value; k--) {
            const struct point swapped = list[k];
            list[k] = list[k - 1];
            list[k - 1] = swapped;
        }
    if (left < 0)
        list[0].value += left;
    const char *points_word = " points";
    fprintf(text, "%s: +%.*f %%: ", name, digits, whole / unit);
    for (size_t i = 0; i < SPOKEN; i++) {
        if (!(list[i].value > 0))
            continue;
        fprintf(text, "%.*f%s %s, ", digits, list[i].value / unit, points_word, list[i].words);
        points_word = "";
    }
    fprintf(text, "%.*f%s unexplained", digits, fmax(left, 0) / unit, points_word);
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

char *causes_text(const char *condition, double total, const double *points,
                  const struct shares *shares, const struct hardware *hardware, bool pressure_known)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    say_points(stream, condition, points, total);
    if (causes_has_hardware(hardware))
        say_hardware(stream, hardware);
    if (shares->ambiguous)
        fputs(" (a load's own waiting cannot be told apart from the target's: these shares are a "
              "guess)",
              stream);
    if (!pressure_known)
        fputs(" (this kernel reports no pressure stalls)", stream);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

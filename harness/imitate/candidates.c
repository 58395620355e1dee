// Applies the rules to a recording: two or three specs, each with a sentence.

#include "rules.h"

#include "common/template.h"
#include "common/text.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The shapes, the best first.
static const struct {
    enum shape shape;
    const char *title;
} shapes[] = {
    {IN_TURN, "what it does, in turn, in as many runnable threads"},
    {SIMPLE, "what it mostly does, with as many runnable threads"},
    {APART, "also what it does besides, by threads of their own"},
    {BOUND, "the most that it could do to caches"},
};

static bool holds(const struct condition_on *condition, const double *trait)
{
    const double value = trait[condition->trait];
    return condition->below ? isnan(value) || value < condition->bound : value >= condition->bound;
}

static bool fits(const struct rule *rule, const double *trait)
{
    for (size_t i = 0; i < rule->when_count; i++)
        if (!holds(&rule->when[i], trait))
            return false;
    return true;
}

// Three significant digits: what was recorded has no more.
static double rounded(double value)
{
    const double step = value > 0 ? pow(10, floor(log10(value)) - 2) : 1;
    return round(value / step) * step;
}

static const char *value_text(double value, enum trait_format format, char text[NUMBER_SIZE])
{
    switch (format) {
    case AS_SIZE:
        value = value >= 1048576 ? rounded(value / 1048576) * 1048576 : value;
        return units_exact_size((uint64_t)(ceil(value / 4096) * 4096), text, NUMBER_SIZE);
    case AS_BYTES:
        value = value < 1e6 ? rounded(value / 1e3) : rounded(value / 1e6);
        snprintf(text, NUMBER_SIZE, "%.*f%s", value < 100 ? 1 : 0, value,
                 value < 1 ? "kB/s" : "MB/s");
        return text;
    case AS_RATE:
        snprintf(text, NUMBER_SIZE, "%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, rounded(value));
        return text;
    default:
        snprintf(text, NUMBER_SIZE, "%.0f", value);
        return text;
    }
}

// Writes the trait of that name, as template_fill() asks for it.
static bool put_trait(FILE *stream, const char *place, size_t length, void *context)
{
    const double *trait = context;
    char number[NUMBER_SIZE];
    for (size_t i = 0; i < TRAITS; i++) {
        const char *name = trait_names[i].name;
        if (!name || strlen(name) != length || strncmp(name, place, length) != 0)
            continue;
        fputs(value_text(trait[i], trait_names[i].format, number), stream);
        return true;
    }
    return false;
}

// The rule of a kind that counts: the first that fits, unless one of this shape in front of it
// does.
static bool counts(size_t index, enum shape shape, const double *trait)
{
    const struct rule *rule = &imitation_rules[index];
    if (!(rule->shapes & shape) || !fits(rule, trait))
        return false;
    for (size_t i = 0; i < index; i++) {
        const struct rule *other = &imitation_rules[i];
        if ((other->shapes & shape) && strcmp(other->kind, rule->kind) == 0 && fits(other, trait))
            return false;
    }
    return true;
}

static struct candidate make(enum shape shape, double *trait)
{
    struct candidate candidate = {0};
    bool joined = false; // to the part in front of it
    for (size_t i = 0; i < imitation_rule_count; i++) {
        const struct rule *rule = &imitation_rules[i];
        if (!counts(i, shape, trait))
            continue;
        OWNED char *spec = template_fill(rule->spec, BRACES_ALONE, put_trait, trait);
        OWNED char *means = template_fill(rule->means, BRACES_ALONE, put_trait, trait);
        candidate.spec = text_joined(candidate.spec, rule->joins ? " " : " + ", spec);
        candidate.means = text_joined(candidate.means,
                                      joined        ? ", "
                                      : rule->joins ? " "
                                                    : "; ",
                                      means);
        joined = rule->joins;
    }
    return candidate;
}

static void add(struct candidates *candidates, struct candidate candidate)
{
    bool is_new = candidate.spec != NULL && candidates->count < CANDIDATES_MOST;
    for (size_t i = 0; is_new && i < candidates->count; i++)
        is_new = strcmp(candidates->candidate[i].spec, candidate.spec) != 0;
    if (is_new) {
        candidates->candidate[candidates->count++] = candidate;
        return;
    }
    free(candidate.spec);
    free(candidate.means);
}

// The recorded CPU time itself, where it changes with time.
static void add_profile(struct candidates *candidates, const struct recording *recording)
{
    const char *const words[] = {"cpu", "--profile", recording->path};
    if (recording->varies)
        add(candidates, (struct candidate){
                            .title = "its CPU time as it changed, the rest left out",
                            .spec = must(words_quote(words, 3)),
                            .means = must(strdup("the CPU time that it got is played again")),
                        });
}

static void add_unknown(struct candidates *candidates, struct recording *recording)
{
    static const struct {
        enum trait trait;
        const char *what;
    } needed[] = {
        {CACHE_MISSES, "cache footprint: its cache misses were not counted"},
        {WAITING, "how many threads waited for a CPU: what it got is taken for what it wanted"},
        {RESIDENT, "memory"},
        {BLOCKED, "whether the disk held it up: its rates are taken for what it wanted"},
        {SENT_PACKETS, "network: packets were not counted"},
        {FORKS, "processes that it started"},
    };
    const double *trait = recording->trait;
    struct arena *arena = &recording->arena;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (isnan(trait[needed[i].trait]))
            list_add(&candidates->unknown, arena, needed[i].what);
    if (trait[READ_BYTES] >= 1e6 || trait[WRITE_BYTES] >= 1e6)
        list_add(&candidates->unknown, arena,
                 "whether its disk accesses were random or sequential, and on which disk: give "
                 "io --random and --dir where you know");
    if (trait[FORKS] >= 1)
        list_add(&candidates->unknown, arena,
                 "how long short-lived processes waited for a CPU: the threads may be too few");
}

void candidates_find(struct candidates *candidates, struct recording *recording, double times)
{
    *candidates = (struct candidates){0};
    // What is played is what was recorded, not some times that.
    if (times == 1 && recording->machine)
        add_profile(candidates, recording);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct candidate candidate = make(shapes[i].shape, recording->trait);
        candidate.title = shapes[i].title;
        add(candidates, candidate);
    }
    if (times == 1)
        add_profile(candidates, recording);
    add_unknown(candidates, recording);
}

void candidates_free(struct candidates *candidates)
{
    for (size_t i = 0; i < candidates->count; i++) {
        free(candidates->candidate[i].spec);
        free(candidates->candidate[i].means);
    }
}

// The legend of a report: what marks and intervals mean, and what all ratios are together.
#include "texts.h"

#include "harness/stats/discovery.h"

// A gate's family are those of its loads, too.
static const char *members_of(const struct value *settings, double count, bool variants)
{
    const struct value *list = view_get(settings, "decide");
    double listed = 0;
    if (!view_first(list)) // of an older version: all of them decide
        list = view_get(settings, "metric");
    if (variants)
        return "comparisons";
    EACH_VALUE (item, list)
        listed++;
    return listed == count ? "metrics" : listed > 1 ? "metrics and loads" : "loads";
}

struct legend legend_of(const struct experiment *experiment)
{
    const struct value *intervals = experiment->intervals;
    const double family = view_confidence(experiment->settings);
    const unsigned said = view_count(view_get(intervals, "family"), 1), count = said > 1 ? said : 1;
    // Bonferroni, as harness/stats has it.
    struct legend legend = {
        .level = 1 - (1 - family) / count,
        .family = family,
        .intervals = count,
        .fewest = experiment->sessions,
        .most = experiment->sessions,
        .members = members_of(experiment->settings, count, experiment->variants),
        .statistic = statistic_named(view_text(experiment->settings, "statistic"))};
    const struct metric_list *list = &experiment->metrics;
    const char *words = list->item[list->main].words;
    memcpy(legend.main, words, strnlen(words, sizeof legend.main - 1));
    legend.timed = list->main == METRIC_WALL;
    const bool compared = view_first(experiment->slowdowns) || view_first(experiment->comparisons);
    for (size_t i = 0; i < list->count; i++)
        legend.higher = legend.higher || (compared && list->item[i].chosen && list->item[i].higher);
    // That of the condition with the fewest runs.
    EACH_VALUE (item, experiment->conditions) {
        const double unseen = view_number(view_get(item, "unseen"), 0);
        if (unseen <= legend.unseen)
            continue;
        legend.unseen = unseen;
        legend.runs = view_number(view_get(item, "runs"), 0);
    }
    return legend;
}

struct legend legend_join(struct legend a, struct legend b)
{
    if (a.level != b.level || a.intervals != b.intervals || a.members != b.members) {
        a.level = NAN;
    }
    a.fewest = a.fewest < b.fewest ? a.fewest : b.fewest;
    a.most = a.most > b.most ? a.most : b.most;
    if (a.statistic != b.statistic)
        a.statistic = STATISTICS;
    a.mixed = a.mixed || b.mixed || strcmp(a.main, b.main) != 0;
    a.higher = a.higher || b.higher;
    if (b.unseen > a.unseen) {
        a.unseen = b.unseen;
        a.runs = b.runs;
    }
    return a;
}

// Four digits, or as many as show that it is below 100 %.
static const char *percent(struct arena *texts, double level)
{
    const int digits = level < 0.9999 || level >= 1 ? 4 : 2 + (int)ceil(-log10(1 - level));
    return said(texts, "%.*g %%", digits, 100 * level);
}

const char *legend_level(struct arena *texts, const struct legend *legend)
{
    return isnan(legend->level) ? "confidence" : percent(texts, legend->level);
}

const char *legend_figure(struct arena *texts, const struct legend *legend)
{
    const char *level = legend_level(texts, legend);
    return legend->statistic == STATISTICS ? said(texts, "± %s", level)
           : legend->statistic == STATISTIC_MEAN
               ? said(texts, "mean ± %s", level)
               : said(texts, "%s [%s]", statistic_words[legend->statistic], level);
}

const char *legend_scope(struct arena *texts, const struct legend *legend)
{
    static const char one[] =
        "for repetitions in the same session: another day, node or build may differ by more";
    if (legend->most == 0)
        return one;
    if (legend->fewest == 0)
        return said(texts, "%s; of rows whose runs end in / N, for repetitions of N sessions", one);
    const char *fewest = legend->fewest < legend->most ? said(texts, "%u to ", legend->fewest) : "";
    return said(texts,
                "for repetitions of sessions, of which there were %s%u: another node or build "
                "than theirs may differ by more",
                fewest, legend->most);
}

const char *legend_statistic(const struct legend *legend)
{
    const enum statistic statistic = legend->statistic;
    return statistic == STATISTICS || statistic == STATISTIC_MEAN || statistic == STATISTIC_TYPICAL
               ? NULL
               : statistic_words[statistic];
}

const char *legend_key(struct arena *texts, const struct legend *legend)
{
    const bool mixed = isnan(legend->level);
    const char *statistic = legend_statistic(legend), *together = "";
    if (legend->intervals > 1 && !mixed)
        together = said(texts, " (%s for the %u %s together)", percent(texts, legend->family),
                        legend->intervals, legend->members);
    return said(texts, "± and [ ] are %s%sconfidence intervals%s %s%s%s%s",
                mixed ? "" : legend_level(texts, legend), mixed ? "" : " ", together,
                legend_scope(texts, legend), statistic ? "; times and ratios are of the " : "",
                statistic ?: "",
                legend->higher ? "; a ratio above 1 is worse, also where higher is better: there "
                                 "it is the inverse of the quotient"
                               : "");
}

const char *legend_unseen(struct arena *texts, const struct legend *legend)
{
    if (!(legend->unseen > 0))
        return NULL;
    // The largest share of the form "1 of n" or "n of n + 1" that is not above it.
    const double seen = 1 - legend->unseen, odds = legend->unseen / seen;
    const double few = odds < 1 ? 1 : floor(odds + 1e-9);
    const double all = odds < 1 ? ceil(1 / legend->unseen) : few + 1;
    return said(texts, "%.0f run%s may not show what happens in %.0f of %.0f (%s)", legend->runs,
                legend->runs == 1 ? "" : "s", few, all, percent(texts, legend->family));
}

// ---- all slowdowns of a report

void family_move(struct family *to, struct family *from)
{
    for (size_t i = 0; i < from->count; i++)
        MORE(to) = from->item[i];
    to->ratios = to->ratios || from->ratios;
    family_free(from);
}

void family_free(struct family *family)
{
    free(family->item);
    *family = (struct family){0};
}

static int by_p(const void *a, const void *b)
{
    const double one = ((const struct member *)a)->p, other = ((const struct member *)b)->p;
    if (isnan(one) || isnan(other))
        return (isnan(one) ? 1 : 0) - (isnan(other) ? 1 : 0);
    return (one > other) - (one < other);
}

void family_settle(struct family *family)
{
    const size_t count = family->count;
    double *p = must(calloc(count + 1, sizeof *p)), *q = must(calloc(count + 1, sizeof *q));
    if (count > 0) // qsort() takes no NULL
        qsort(family->item, count, sizeof *family->item, by_p);
    family->known = 0;
    while (family->known < count && !isnan(family->item[family->known].p)) {
        p[family->known] = family->item[family->known].p;
        family->known++;
    }
    discovery_rates(p, q, family->known);
    for (size_t i = 0; i < count; i++)
        family->item[i].q = i < family->known ? q[i] : NAN;
    free(p);
    free(q);
}

static double q_of(const struct family *family, double p)
{
    const struct member wanted = {.p = p};
    const struct member *found = family->known == 0 ? NULL
                                                    : bsearch(&wanted, family->item, family->known,
                                                              sizeof *family->item, by_p);
    // Equal p have equal q.
    return found ? found->q : NAN;
}

void spot_add(struct spots *spots, enum spot_kind kind, size_t at, size_t length,
              const struct value *ratio)
{
    const double p = view_real(ratio, "p");
    if (spots && !isnan(p) && (kind == SPOT_Q || ratio_effect(ratio) == EFFECT_SEEN))
        MORE(spots) = (struct spot){at, length, kind, p};
}

void survives_put(struct line *json, const struct experiment *of, const struct value *ratio)
{
    line_bool(json, "survives", false);
    spot_add(of->spots, SPOT_SURVIVES, json->used - strlen("false"), strlen("false"), ratio);
}

void family_put_ratio(struct line *json, const struct experiment *of, const struct value *ratio)
{
    line_null(json, "q");
    spot_add(of->spots, SPOT_Q, json->used - strlen("null"), strlen("null"), ratio);
    survives_put(json, of, ratio);
}

void mark_put(struct line *json, const struct experiment *of, const struct value *ratio)
{
    spot_add(of->spots, SPOT_MARK, json->used - strlen("\""), 0, ratio);
}

char *spots_fill(const struct family *family, char *text, struct spots *spots)
{
    char *made = NULL;
    size_t size, from = 0;
    if (spots->count == 0)
        return text;
    FILE *file = must(open_memstream(&made, &size));
    for (const struct spot *spot = spots->item; spot < spots->item + spots->count; spot++) {
        const double q = q_of(family, spot->p);
        // One slowdown is no family: there is nothing to mark.
        const bool filled =
            spot->kind == SPOT_Q
                ? !isnan(q)
                : q <= FAMILY_RATE && (spot->kind == SPOT_SURVIVES || family->count > 1);
        struct line number = {0};
        if (!filled)
            continue;
        line_real(&number, NULL, q);
        fwrite(text + from, 1, spot->at - from, file);
        fputs(spot->kind == SPOT_Q      ? must(number.text)
              : spot->kind == SPOT_MARK ? " " FAMILY_MARK
                                        : "true",
              file);
        from = spot->at + spot->length;
        line_free(&number);
    }
    fputs(text + from, file);
    free(text);
    free(spots->item);
    *spots = (struct spots){0};
    return stream_text(file, &made);
}

// How many of them.
struct counts {
    size_t distinguishable, survive;
    double by_chance; // at most so many of all are expected to be distinguishable by chance
    double chance;    // of each; NAN: not the same for all
};

static struct counts counts_of(const struct family *family)
{
    struct counts counts = {.chance = family->count > 0 ? family->item[0].chance : NAN};
    for (size_t i = 0; i < family->count; i++) {
        const struct member *member = &family->item[i];
        counts.distinguishable += member->distinguishable ? 1 : 0;
        counts.survive += member->distinguishable && member->q <= FAMILY_RATE ? 1 : 0;
        counts.by_chance += member->chance;
        if (member->chance != counts.chance)
            counts.chance = NAN;
    }
    return counts;
}

void family_put(struct line *json, const struct family *family)
{
    const struct counts counts = counts_of(family);
    line_object(json, "family");
    line_count(json, "slowdowns", family->count);
    line_real(json, "expected_by_chance", round(counts.by_chance * 1e9) / 1e9);
    line_count(json, "distinguishable", counts.distinguishable);
    line_text(json, "method", "benjamini-hochberg");
    line_real(json, "false_discovery_rate", FAMILY_RATE);
    line_count(json, "with_p", family->known);
    line_count(json, "survive", counts.survive);
    line_close(json);
}

// "12.6", "0.25"
static const char *expected(double number, char *text)
{
    return number_fixed(number, number < 0.995 ? 2 : 1, text);
}

const char *family_text(struct arena *texts, const struct family *family)
{
    const struct counts counts = counts_of(family);
    if (family->count < 2)
        return NULL;
    const char *half = expected(counts.by_chance / 2, ROOM),
               *level = isnan(counts.chance) ? "their level"
                                             : said(texts, "%.6g %%", 100 * (1 - counts.chance));
    const char *chance =
        said(texts,
             "%zu %s with two-sided intervals at %s: by chance up to %s would look "
             "distinguishable from noise (%s %s, %s %s), %zu %s",
             family->count, family->ratios ? "ratios" : "slowdowns", level,
             expected(counts.by_chance, ROOM), half, family->ratios ? "worse" : "slower", half,
             family->ratios ? "better" : "faster", counts.distinguishable,
             counts.distinguishable == 1 ? "does" : "do");
    const char *some =
        family->known < family->count ? " (some were recorded without a p value)" : "";
    if (family->known == 0)
        return said(texts,
                    "%s; which of them are beyond chance is not known: they were recorded without "
                    "p values",
                    chance);
    if (counts.survive == 0)
        return said(texts, "%s; none holds at a false discovery rate of %.0f %%%s", chance,
                    100 * FAMILY_RATE, some);
    return said(texts,
                "%s; " FAMILY_MARK " marks the %zu that hold%s at a false discovery rate of "
                "%.0f %%%s",
                chance, counts.survive, counts.survive == 1 ? "s" : "", 100 * FAMILY_RATE, some);
}

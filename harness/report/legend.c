#include "legend.h"

#include "experiment.h"

#include "common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum statistic statistic_of(const struct value *settings)
{
    OWNED char *name = view_text(settings, "statistic");
    const enum statistic statistic = statistic_named(name);
    return statistic;
}

/* A gate's family are those of its loads, too. */
static const char *members_of(const struct value *settings, double count, bool variants)
{
    const struct value *list = view_get(settings, "decide");
    double listed = 0;
    if (view_first(list) == NULL) /* of an older version: all of them decide */
        list = view_get(settings, "metric");
    if (variants)
        return "comparisons";
    for (const struct value *item = NULL; view_each(list, &item);)
        listed++;
    return listed == count ? "metrics" : listed > 1 ? "metrics and loads" : "loads";
}

/* That of the condition with the fewest runs. */
static void find_unseen(struct legend *legend, const struct value *conditions)
{
    for (const struct value *item = NULL; view_each(conditions, &item);) {
        const double unseen = view_number(view_get(item, "unseen"), 0);
        if (unseen <= legend->unseen)
            continue;
        legend->unseen = unseen;
        legend->runs = view_number(view_get(item, "runs"), 0);
    }
}

static bool has_ratios(const struct value *result)
{
    return view_first(view_get(result, "slowdowns")) != NULL ||
           view_first(view_get(result, "comparisons")) != NULL;
}

static void find_metrics(struct legend *legend, const struct metric_list *list)
{
    const char *words = list->item[list->main].words;
    const size_t most = sizeof legend->main - 1, length = strnlen(words, most);
    memcpy(legend->main, words, length);
    legend->timed = list->main == METRIC_WALL;
    for (size_t i = 0; i < list->count; i++)
        legend->higher = legend->higher || (list->item[i].chosen && list->item[i].higher);
}

struct legend legend_of(const struct experiment *experiment)
{
    const struct value *intervals = view_get(experiment->result.top, "intervals");
    const double family = view_confidence(experiment->settings);
    const unsigned said = view_count(view_get(intervals, "family"), 1), count = said > 1 ? said : 1;
    /* Bonferroni, as harness/stats has it. */
    struct legend legend = {
        .level = 1 - (1 - family) / count,
        .family = family,
        .intervals = count,
        .fewest = experiment->sessions,
        .most = experiment->sessions,
        .members = members_of(experiment->settings, count, experiment_has_variants(experiment)),
        .statistic = statistic_of(experiment->settings)};
    find_metrics(&legend, &experiment->metrics);
    legend.higher = legend.higher && has_ratios(experiment->result.top);
    find_unseen(&legend, experiment->conditions);
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

/* Four digits, or as many as show that it is below 100 %. */
static char *percent(double level)
{
    const int digits = level < 0.9999 || level >= 1 ? 4 : 2 + (int)ceil(-log10(1 - level));
    return text_of("%.*g %%", digits, 100 * level);
}

char *legend_level(const struct legend *legend)
{
    return isnan(legend->level) ? must(strdup("confidence")) : percent(legend->level);
}

char *legend_figure(const struct legend *legend)
{
    OWNED char *level = legend_level(legend);
    char *text = legend->statistic == STATISTICS ? text_of("± %s", level)
                 : legend->statistic == STATISTIC_MEAN
                     ? text_of("mean ± %s", level)
                     : text_of("%s [%s]", statistic_words[legend->statistic], level);
    return text;
}

char *legend_scope(const struct legend *legend)
{
    static const char one[] = "for repetitions in the same session: another day, node or build "
                              "may differ by more";
    if (legend->most == 0)
        return must(strdup(one));
    if (legend->fewest == 0)
        return text_of("%s; of rows whose runs end in / N, for repetitions of N sessions", one);
    OWNED char *fewest = legend->fewest < legend->most ? text_of("%u to ", legend->fewest) : NULL;
    char *text = text_of("for repetitions of sessions, of which there were %s%u: another node or "
                         "build than theirs may differ by more",
                         fewest == NULL ? "" : fewest, legend->most);
    return text;
}

char *legend_statistic(const struct legend *legend)
{
    const enum statistic statistic = legend->statistic;
    return statistic == STATISTICS || statistic == STATISTIC_MEAN || statistic == STATISTIC_TYPICAL
               ? NULL
               : must(strdup(statistic_words[statistic]));
}

char *legend_key(const struct legend *legend)
{
    char *level = legend_level(legend), *together = must(strdup("")), *scope = legend_scope(legend);
    if (legend->intervals > 1 && !isnan(legend->level)) {
        OWNED char *all = percent(legend->family);
        free(together);
        together = text_of(" (%s for the %u %s together)", all, legend->intervals, legend->members);
    }
    char *text =
        text_of("± and [ ] are %s%sconfidence intervals%s %s", isnan(legend->level) ? "" : level,
                isnan(legend->level) ? "" : " ", together, scope);
    OWNED char *statistic = legend_statistic(legend);
    if (statistic != NULL) {
        char *more = text_of("%s; times and ratios are of the %s", text, statistic);
        free(text);
        text = more;
    }
    if (legend->higher) {
        char *more = text_of("%s; a ratio above 1 is worse, also where higher is better: there it "
                             "is the inverse of the quotient",
                             text);
        free(text);
        text = more;
    }
    free(level);
    free(together);
    free(scope);
    return text;
}

char *legend_unseen(const struct legend *legend)
{
    if (!(legend->unseen > 0))
        return NULL;
    /* The largest share of the form "1 of n" or "n of n + 1" that is not above it. */
    const double seen = 1 - legend->unseen, odds = legend->unseen / seen;
    const double few = odds < 1 ? 1 : floor(odds + 1e-9);
    const double all = odds < 1 ? ceil(1 / legend->unseen) : few + 1;
    OWNED char *level = percent(legend->family);
    char *text = text_of("%.0f run%s may not show what happens in %.0f of %.0f (%s)", legend->runs,
                         legend->runs == 1 ? "" : "s", few, all, level);
    return text;
}

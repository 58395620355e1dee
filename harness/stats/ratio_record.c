// Adds to the record of a ratio what typically happens, and what seldom does.
#include "groups.h"
#include "interval.h"
#include "json.h"
#include "metrics.h"
#include "result.h"
#include "session.h"
#include "stragglers.h"
#include "straggling.h"

#include "harness/record/settings.h"

#include "common/memory.h"
#include "common/record_json.h"

#include <math.h>
#include <stdio.h>

enum { PART = 128 };

// What seldom happens, in sentences; null: nothing does.
static json_t *seldom_json(const struct seldom *seldom)
{
    char *text;
    size_t size;
    FILE *stream = must(open_memstream(&text, &size));
    seldom_print(seldom, stream);
    return json_owned_text(stream_text(stream, &text));
}

// ---- the record ----

static json_t *bound_json(const struct interval *interval)
{
    return json_pack("{s:o, s:[o, o]}", "ratio", json_figure(interval->center), "ci",
                     json_figure(interval->constant ? NAN : interval->low),
                     json_figure(interval->constant ? NAN : interval->high));
}

static json_t *stragglers_json(const struct stragglers *of)
{
    return json_pack("{s:i, s:i, s:[o, o], s:o, s:i}", "runs", (int)of->count, "of", (int)of->runs,
                     "share", json_figure(of->low), json_figure(of->high), "times",
                     json_figure(of->times), "needed", (int)stragglers_needed(of));
}

// [{"ratio", "runs"}, {"ratio", "runs"}], the lower first; null: there are none.
static json_t *groups_json(const struct groups *groups)
{
    if (groups->low_count == 0)
        return json_null();
    return json_pack("[{s:o, s:I}, {s:o, s:I}]", "ratio", json_figure(groups->low), "runs",
                     (json_int_t)groups->low_count, "ratio", json_figure(groups->high), "runs",
                     (json_int_t)groups->high_count);
}

// "beside half" and "alone", or two variants, of `of`.
static void place_names(const struct settings *settings, struct ratio of, char place[static PART],
                        char other[static PART])
{
    const size_t reference = settings_reference(settings, of.condition, of.against);
    const char *load = settings_load_name(settings, of.condition);
    if (of.against == AGAINST_ALONE) {
        snprintf(place, PART, "beside %.100s", load ? load : settings->conditions[of.condition]);
        snprintf(other, PART, "alone");
        return;
    }
    snprintf(place, PART, "with %.100s",
             settings->conditions[settings_variant(settings, of.condition)]);
    snprintf(other, PART, "with %.100s",
             settings->conditions[settings_variant(settings, reference)]);
}

void ratio_record_add(struct session *session, struct ratio of, json_t *record)
{
    const struct settings *settings = session->settings;
    const struct pairs *pairs = session_pairs(session, of);
    const struct straggler_sides sides = stragglers_sides(session, of);
    const struct interval typical = metric_typical(session, of);
    char place[PART], other_place[PART];
    place_names(settings, of, place, other_place);
    const struct seldom seldom = {
        .own = sides.higher ? sides.x : sides.y,
        .other = sides.higher ? sides.y : sides.x,
        .p = stragglers_pairs_p(pairs, &sides),
        .confidence = session->critical.confidence,
        .typical = typical.center,
        .mean = stragglers_mean(session, of),
        .place = place,
        .other_place = other_place,
        .is_time = words_is_time(&settings->metrics.item[of.metric]),
        .higher_is_better = sides.higher,
    };
    const bool is_told = pairs->count > 0 && typical.center > 0 &&
                         session_censored(session, of) == 0 &&
                         seldom.own.count + seldom.other.count > 0;
    const struct groups groups = metric_groups(session, of);
    json_extend(record,
                json_pack("{s:o, s:o, s:o, s:{s:o, s:o, s:o}, s:o}", "groups", groups_json(&groups),
                          "typical", bound_json(&typical), "mean", bound_json(&seldom.mean),
                          "stragglers", "own", stragglers_json(&seldom.own), "reference",
                          stragglers_json(&seldom.other), "p", json_figure(seldom.p), "seldom",
                          is_told ? seldom_json(&seldom) : json_null()));
}

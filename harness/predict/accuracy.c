// How far predictions are off the pairs that were measured, and how far the truth would be.

#include "predict.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/units.h"
#include "harness/stats/json.h"

#include <gsl/gsl_linalg.h>
#include <gsl/gsl_sort.h>
#include <math.h>

// What a prediction that knew each truth would be off by all the same, of single rows added up.
// Pairs that were measured twice say it: the mean difference of two by sqrt(2). Where there are too
// few of them, the spread within a measurement does, which is too little where measurements of
// different hours differ: sqrt(2 / pi) of the standard error, were errors normal.
struct noise {
    double repeats, within;
    size_t repeated, known;
};

enum { LEAST_REPEATS = 10 };

static void add_noise(struct noise *noise, const struct table_row *row)
{
    const double slowdown = json_number_at(row->measured, "slowdown"),
                 again = json_number_at(json_object_get(row->measured, "repeat"), "slowdown"),
                 sd = json_number_at(row->measured, "sd"), n = measured_runs(row->measured);
    if (isfinite(again)) {
        noise->repeats += fabs(slowdown - again) / sqrt(2);
        noise->repeated++;
    }
    if (isfinite(sd) && n > 0) {
        noise->within += sqrt(2 / acos(-1) / n) * sd * slowdown;
        noise->known++;
    }
}

static bool by_repeats(const struct noise *noise)
{
    return noise->repeated >= LEAST_REPEATS;
}

// NAN: not known.
static double noise_mean(const struct noise *noise)
{
    return by_repeats(noise)  ? noise->repeats / (double)noise->repeated
           : noise->known > 0 ? noise->within / (double)noise->known
                              : NAN;
}

json_t *table_check_to_json(const struct table *table)
{
    struct noise noise = {0};
    double sum = 0, none = 0;
    json_int_t pairs = 0, held = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct table_row *row = &table->row[i];
        const struct prediction *one = &row->prediction;
        const double truth = json_number_at(row->measured, "slowdown");
        if (!row->shown || !isfinite(truth))
            continue;
        sum += fabs(one->slowdown - truth);
        none += fabs(1 - truth);
        add_noise(&noise, row);
        held += one->low <= truth && truth <= one->high;
        pairs++;
    }
    if (pairs == 0)
        return json_null();
    const double count = (double)pairs, off = noise_mean(&noise);
    return must(json_pack(
        "{s:I, s:f, s:o, s:I, s:I, s:o, s:o}", "pairs", pairs, "error", sum / count, "noise",
        number_to_json(off), "repeats", by_repeats(&noise) ? (json_int_t)noise.repeated : 0, "held",
        held, "skill", number_to_json(none > 0 ? 1 - sum / none : NAN), "skill_most",
        number_to_json(none > 0 && isfinite(off) ? fmax(1 - off * count / none, 0) : NAN)));
}

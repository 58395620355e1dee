// The table of a prediction in records.

#include "predict.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"
#include "common/units.h"
#include "harness/stats/json.h"

#include <gsl/gsl_linalg.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

static json_t *bounds_to_record(double low, double high)
{
    return isnan(low) ? json_null()
                      : must(json_pack("[o,o]", number_to_json(low), number_to_json(high)));
}

static json_t *carriers_to_json(const struct prediction *prediction)
{
    json_t *carriers = must(json_array());
    for (size_t i = 0; i < prediction->carriers; i++)
        json_add(carriers,
                 must(json_pack("{s:s, s:o}", "name", prediction->carrier[i].words, "slowdown",
                                number_to_json(prediction->carrier[i].slowdown))));
    return carriers;
}

static json_t *gate_to_json(const struct gate *gate)
{
    return must(json_pack("{s:b, s:o, s:o, s:o, s:o, s:s}", "passed", gate->passed, "alone_sd",
                          number_to_json(gate->sd), "half_width", number_to_json(gate->half_width),
                          "wanted", number_to_json(gate->wanted), "runs_needed",
                          number_to_json(gate->runs_needed), "text", gate->text));
}

double measured_runs(const json_t *measured)
{
    const double n = json_number_at(measured, "n");
    return n >= 1 ? floor(n) : 0;
}

static json_t *measured_to_json(const json_t *measured)
{
    if (!measured)
        return json_null();
    return must(json_pack("{s:o, s:o, s:I}", "slowdown",
                          number_to_json(json_number_at(measured, "slowdown")), "ci",
                          bounds_to_record(json_bound_at(measured, 0), json_bound_at(measured, 1)),
                          "n", (json_int_t)measured_runs(measured)));
}

// Why there is no number, or why one should not be trusted; null: neither.
static json_t *reason_of(const struct table_row *row)
{
    if (!row->prediction.known)
        return json_text(row->prediction.why);
    return row->gate.passed
               ? json_null()
               : json_owned_text(text_of("cannot be told on this machine: %s", row->gate.text));
}

static json_t *neighbours_json(const struct table *table, const struct table_row *row)
{
    OWNED size_t *index = must(calloc(table->programs->count, sizeof *index));
    const size_t count = table_neighbours(table, row, index);
    json_t *names = must(json_array());
    for (size_t i = 0; i < count; i++)
        json_add(names, json_text(table->programs->entry[index[i]].name));
    return names;
}

static json_t *row_to_json(const struct table *table, const struct table_row *row)
{
    const struct program_entry *entry = table->programs->entry;
    const struct prediction *one = &row->prediction;
    const bool shown = row->shown;
    return must(
        json_pack("{s:s, s:s?, s:o, s:s, s:o, s:o, s:o, s:o, s:s?, s:o, s:o, s:o, s:s?, s:o}", "a",
                  entry[row->victim].name, "b", row->together ? NULL : entry[row->aggressor].name,
                  "beside", neighbours_json(table, row), "place", entry[row->victim].profile.place,
                  "slowdown", number_to_json(shown ? one->slowdown : NAN), "ci",
                  shown ? bounds_to_record(one->low, one->high) : json_null(), "confidence",
                  number_to_json(shown ? one->confidence : NAN), "distinguishable",
                  shown ? json_boolean(one->low > 1 || one->high < 1) : json_null(), "carrier",
                  shown && one->carriers > 0 ? one->carrier[0].words : NULL, "carriers",
                  shown ? carriers_to_json(one) : must(json_array()), "gate",
                  gate_to_json(&row->gate), "reason", reason_of(row), "verdict",
                  table->request->at_most > 0 ? verdict_names[row->verdict] : NULL, "measured",
                  measured_to_json(row->measured)));
}

json_t *table_to_json(const struct table *table)
{
    json_t *rows = must(json_array());
    for (size_t i = 0; i < table->count; i++)
        json_add(rows, row_to_json(table, &table->row[i]));
    return rows;
}

json_t *table_worst_to_json(const struct table *table)
{
    const struct table_row *worst = NULL;
    for (size_t i = 0; i < table->count; i++) {
        const struct table_row *row = &table->row[i];
        if (row->shown && row->prediction.low > 1 &&
            (!worst || row->prediction.slowdown > worst->prediction.slowdown))
            worst = row;
    }
    return !worst ? json_null() : json_integer(worst - table->row);
}

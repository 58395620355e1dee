/* A history in figures: for each host what each kind did, and rows over the time. */

#include "harness/probe/history.h"

#include "harness/bench/json.h"
#include "harness/report/memory.h"

#include "common/date.h"
#include "common/schemas.h"

#include <math.h>
#include <stdio.h>

/* A mean of what is known, and the largest. */
struct mean {
    double sum, most;
    size_t count;
};

static void mean_add(struct mean *mean, double value)
{
    if (isnan(value))
        return;
    mean->sum += value;
    mean->most = mean->count == 0 ? value : fmax(mean->most, value);
    mean->count++;
}

static json_t *mean_to_json(const struct mean *mean)
{
    return json_number(mean->count == 0 ? NAN : mean->sum / (double)mean->count);
}

static json_t *most_to_json(const struct mean *mean)
{
    return json_number(mean->count == 0 ? NAN : mean->most);
}

static json_t *time_to_json(time_t time)
{
    char text[DATE_SIZE];
    return json_text(date_utc(time, text));
}

/* Of the moments from first to end, one kind. */
static json_t *kind_to_json(const struct history *history, size_t first, size_t end, enum kind kind)
{
    struct mean level = {0}, lo = {0}, hi = {0};
    size_t seen = 0, known = 0;
    for (size_t i = first; i < end; i++) {
        const struct moment *moment = &history->moment[i];
        if (isnan(moment->level[kind]))
            continue;
        known++;
        seen += moment->seen[kind];
        mean_add(&level, moment->level[kind]);
        mean_add(&lo, moment->lo[kind]);
        mean_add(&hi, moment->hi[kind]);
    }
    return must(json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "name", kinds[kind].name,
                          "resource", kinds[kind].resource, "level", mean_to_json(&level), "lo",
                          mean_to_json(&lo), "hi", mean_to_json(&hi), "most", most_to_json(&level),
                          "seen", json_number(known == 0 ? NAN : (double)seen / (double)known)));
}

static json_t *kinds_to_json(const struct history *history, size_t first, size_t end)
{
    json_t *list = must(json_array());
    for (enum kind k = 0; k < KINDS; k++)
        json_add(list, kind_to_json(history, first, end, k));
    return list;
}

/* One row: the moments from first to end, taken together. */
static json_t *row_to_json(const struct history *history, size_t first, size_t end)
{
    struct mean cpu = {0}, memory = {0}, io = {0}, steal = {0}, throttled = {0}, foreign = {0},
                slowdown = {0};
    for (size_t i = first; i < end; i++) {
        const struct moment *moment = &history->moment[i];
        mean_add(&cpu, moment->cpu_some);
        mean_add(&memory, moment->memory_some);
        mean_add(&io, moment->io_some);
        mean_add(&steal, moment->steal);
        mean_add(&throttled, moment->throttled);
        mean_add(&foreign, moment->foreign_cpus);
        mean_add(&slowdown, moment->slowdown);
    }
    return must(json_pack("{s:o, s:f, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "from",
                          time_to_json(history->moment[first].made), "hours",
                          difftime(history->moment[first].made, history->moment[0].made) / 3600,
                          "probes", (json_int_t)(end - first), "kinds",
                          kinds_to_json(history, first, end), "cpu_some", mean_to_json(&cpu),
                          "memory_some", mean_to_json(&memory), "io_some", mean_to_json(&io),
                          "steal", mean_to_json(&steal), "throttled", mean_to_json(&throttled),
                          "foreign_cpus", mean_to_json(&foreign), "slowdown",
                          mean_to_json(&slowdown), "verdicts", history->moment[end - 1].verdicts));
}

/* Stretches of equal length; one in which nothing was probed has no row. */
static json_t *rows_to_json(const struct history *history, size_t most)
{
    json_t *rows = must(json_array());
    const time_t begin = history->moment[0].made;
    const double length = difftime(history->moment[history->count - 1].made, begin) + 1;
    for (size_t first = 0; first < history->count;) {
        const size_t row =
            (size_t)(difftime(history->moment[first].made, begin) / length * (double)most);
        size_t end = first + 1;
        while (end < history->count &&
               (size_t)(difftime(history->moment[end].made, begin) / length * (double)most) == row)
            end++;
        json_add(rows, row_to_json(history, first, end));
        first = end;
    }
    return rows;
}

json_t *histories_to_json(const struct histories *histories, size_t rows)
{
    json_t *hosts = must(json_array());
    for (size_t i = 0; i < histories->count; i++) {
        const struct history *history = &histories->history[i];
        json_add(hosts,
                 must(json_pack(
                     "{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o}", "host", history->host,
                     "place", history->place, "confidence", json_number(history->confidence),
                     "reference_made",
                     json_text(history->reference_made[0] == '\0' ? NULL : history->reference_made),
                     "program", json_text(history->program[0] == '\0' ? NULL : history->program),
                     "from", time_to_json(history->moment[0].made), "to",
                     time_to_json(history->moment[history->count - 1].made), "probes",
                     (json_int_t)history->count, "kinds", kinds_to_json(history, 0, history->count),
                     "rows", rows_to_json(history, rows))));
    }
    return must(json_pack("{s:s, s:b, s:o}", "schema", SCHEMA_PROBE_HISTORY, "cut", histories->cut,
                          "hosts", hosts));
}

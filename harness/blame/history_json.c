/* A history in figures: for each host who was to blame, and rows over the time. */

#include "harness/blame/history.h"

#include "harness/bench/json.h"

#include "common/memory.h"
#include "common/schemas.h"
#include "common/text.h"

#include <math.h>
#include <string.h>

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

/* Who was named first, how often, most often first. */
static json_t *culprits_to_json(const struct history *history, size_t first, size_t end)
{
    enum { NAMED = 16 };
    struct {
        const char *text;
        size_t times;
    } found[NAMED];
    size_t count = 0;
    for (size_t i = first; i < end; i++) {
        const char *text = history->moment[i].culprit;
        size_t k = 0;
        while (k < count && strcmp(found[k].text, text) != 0)
            k++;
        if (*text == '\0' || k == NAMED)
            continue;
        if (k == count) {
            found[count].text = text;
            found[count++].times = 0;
        }
        found[k].times++;
        for (; k > 0 && found[k].times > found[k - 1].times; k--) {
            const char *other = found[k].text;
            const size_t times = found[k].times;
            found[k] = found[k - 1];
            found[k - 1].text = other;
            found[k - 1].times = times;
        }
    }
    json_t *list = must(json_array());
    for (size_t k = 0; k < count; k++)
        json_add(list, must(json_pack("{s:s, s:I}", "text", found[k].text, "times",
                                      (json_int_t)found[k].times)));
    return list;
}

/* One row: the moments from first to end, taken together. */
static json_t *row_to_json(const struct history *history, size_t first, size_t end)
{
    struct mean factor = {0}, cpu = {0}, io = {0}, steal = {0}, throttled = {0}, others = {0};
    for (size_t i = first; i < end; i++) {
        const struct moment *moment = &history->moment[i];
        mean_add(&factor, moment->factor);
        mean_add(&cpu, moment->cpu_some);
        mean_add(&io, moment->io_some);
        mean_add(&steal, moment->steal);
        mean_add(&throttled, moment->throttled);
        mean_add(&others, moment->others_cpus);
    }
    return must(json_pack("{s:o, s:f, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "from",
                          time_to_json(history->moment[first].made), "hours",
                          difftime(history->moment[first].made, history->moment[0].made) / 3600,
                          "records", (json_int_t)(end - first), "factor", mean_to_json(&factor),
                          "most", most_to_json(&factor), "others_cpus", mean_to_json(&others),
                          "cpu_some", mean_to_json(&cpu), "io_some", mean_to_json(&io), "steal",
                          mean_to_json(&steal), "throttled", mean_to_json(&throttled), "culprits",
                          culprits_to_json(history, first, end)));
}

/* Stretches of equal length; one in which nothing was written has no row. */
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
        struct mean factor = {0};
        for (size_t k = 0; k < history->count; k++)
            mean_add(&factor, history->moment[k].factor);
        json_add(hosts, must(json_pack("{s:s, s:s, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "host",
                                       history->host, "victim", history->victim, "from",
                                       time_to_json(history->moment[0].made), "to",
                                       time_to_json(history->moment[history->count - 1].made),
                                       "records", (json_int_t)history->count, "factor",
                                       mean_to_json(&factor), "most", most_to_json(&factor),
                                       "culprits", culprits_to_json(history, 0, history->count),
                                       "rows", rows_to_json(history, rows))));
    }
    return must(json_pack("{s:s, s:b, s:o}", "schema", SCHEMA_BLAME_HISTORY, "cut", histories->cut,
                          "hosts", hosts));
}

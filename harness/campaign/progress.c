#include "campaign.h"

#include "common/memory.h"
#include "common/units.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

// "12 s", "5 min", "3 h 07 min"; returns text.
static const char *duration_text(double seconds, char *text, size_t size)
{
    if (seconds < 100)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 6000)
        snprintf(text, size, "%.0f min", seconds / 60);
    else
        snprintf(text, size, "%.0f h %02d min", floor(seconds / 3600),
                 (int)(fmod(seconds, 3600) / 60));
    return text;
}

// Whether a slowdown is one that was requested, by a load. Old records, and those of no metric
// but wall time, have that of wall time.
static bool is_wanted(const json_t *slowdown)
{
    const char *metric = json_text_at(slowdown, "metric"),
               *load = json_text_at(slowdown, "condition");
    const json_t *requested = json_object_get(slowdown, "requested");
    if (!metric || !load || strcmp(load, "aa") == 0)
        return false;
    return json_is_boolean(requested) ? json_is_true(requested) : strcmp(metric, "wall_s") == 0;
}

static void put_slowdown(const json_t *slowdown, char *text, size_t size)
{
    const json_t *ci = json_object_get(slowdown, "ci");
    const double ratio = number_of(slowdown, "ratio", NAN);
    const bool noise = json_is_false(json_object_get(slowdown, "distinguishable"));
    const double low = json_is_array(ci) ? json_number_value(json_array_get(ci, 0)) : NAN;
    const double high = json_is_array(ci) ? json_number_value(json_array_get(ci, 1)) : NAN;
    char bounds[2 * NUMBER_SIZE] = "";
    if (json_is_array(ci))
        snprintf(bounds, sizeof bounds, " [%.3f, %.3f]", low, high);
    snprintf(text, size, "slowdown %.3f%s%s", ratio, bounds,
             !noise                ? ""
             : low > 1 || high < 1 ? " (too few runs)"
                                   : " (noise)");
}

static void put_figure(const json_t *result, const json_t *condition, char *text, size_t size)
{
    // The first metric that decides, where the program prints it; else wall time.
    const json_t *decide = json_object_get(json_object_get(result, "settings"), "decide");
    const char *name = json_string_value(json_array_get(decide, 0));
    const json_t *figure = json_object_get(json_object_get(condition, "metrics"), name);
    if (!figure) {
        name = NULL;
        figure = json_object_get(condition, "wall_s");
    }
    const char *unit = name ? json_text_or_empty(figure, "unit") : "s";
    const double relative = 100 * number_of(figure, "error", NAN);
    char mean[NUMBER_SIZE], error[NUMBER_SIZE];
    number_scaled(number_of(figure, "mean", name ? NAN : 0), unit, mean);
    const int used = snprintf(text, size, "%s%s%s", name ? name : "", name ? " " : "", mean);
    if (!isnan(relative) && used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", error %s %%",
                 number_fixed(relative, number_decimals(relative), error));
}

static void put_runs(const json_t *result, const json_t *conditions, char *text, size_t size)
{
    double runs = 0;
    bool converged = true;
    JSON_EACH (condition, conditions) {
        runs += number_of(condition, "runs", 0);
        converged = converged && json_is_true(json_object_get(condition, "converged"));
    }
    // A single run on purpose, such as a series, cannot.
    converged = converged || number_of(json_object_get(result, "settings"), "max_runs", NAN) == 1;
    snprintf(text, size, ", %.0f run%s%s", runs, runs == 1 ? "" : "s",
             converged ? "" : ", not converged");
}

// What is said of each of a list of results that was requested, with semicolons between; "" where
// none was: of slowdowns, or of the comparisons of variants, all of which are in old records.
static void put_each(const json_t *list, bool slowdowns, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    JSON_EACH (one, list) {
        if (slowdowns ? !is_wanted(one) : json_is_false(json_object_get(one, "requested")))
            continue;
        if (used > 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, "; ");
        if (used >= size)
            break;
        if (slowdowns && json_text_is(one, "metric", "wall_s"))
            put_slowdown(one, text + used, size - used);
        else
            snprintf(text + used, size - used, "%s", json_text_or_empty(one, "text"));
        used += strlen(text + used);
    }
}

// What came out of a cell, in a line: "slowdown 1.370 [1.350, 1.390], 24 runs", or what is
// said of the metrics that were requested, or of the variants, from its result.json; "done"
// where that cannot be read. Returns text.
static const char *outcome_text(const char *result_path, char *text, size_t size)
{
    json_t *result = json_read_record(result_path, 0, NULL);
    const json_t *conditions = json_object_get(result, "conditions");
    put_each(json_object_get(result, "comparisons"), false, text, size);
    if (text[0] == '\0')
        put_each(json_object_get(result, "slowdowns"), true, text, size);
    if (text[0] == '\0' && json_array_size(conditions) > 0)
        put_figure(result, json_array_get(conditions, 0), text, size);
    else if (text[0] == '\0')
        snprintf(text, size, "done");
    if (json_array_size(conditions) > 0)
        put_runs(result, conditions, text + strlen(text), size - strlen(text));
    json_decref(result);
    return text;
}

enum { BAR_WIDTH = 20, COLUMNS = 80, LINE_SIZE = 1024, TEXT_SIZE = 256, DURATION_SIZE = 32 };

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void progress_begin(struct progress *progress, const struct states *states, const char *folder,
                    bool quiet)
{
    const char *term = getenv("TERM");
    *progress = (struct progress){.states = states,
                                  .folder = folder,
                                  .quiet = quiet,
                                  .terminal = !quiet && isatty(STDERR_FILENO) && term &&
                                              strcmp(term, "dumb") != 0,
                                  .waiting = must(calloc(states->count + 1, sizeof(bool)))};
    means_of(states, &progress->means);
    for (size_t i = 0; i < states->count; i++) {
        progress->waiting[i] = states->list[i].todo;
        progress->finished += !states->list[i].todo;
    }
}

void progress_end(struct progress *progress)
{
    progress_clear(progress);
    means_free(&progress->means);
    free(progress->waiting);
}

void progress_clear(const struct progress *progress)
{
    if (progress->terminal)
        fputs("\r\033[K", stderr);
}

// How far the current cell is; returns the seconds that it still takes, or NAN.
static double current_text(const struct progress *progress, const char *name, char *text,
                           size_t size)
{
    char path[PATH_MAX];
    json_t *status =
        json_read_record(cell_path(progress->folder, name, "status.json", path), 0, NULL);
    const double runs = number_of(status, "runs", 0), error = number_of(status, "error", NAN);
    const double left_s = rest_of_cell(status);
    const double wanted = number_of(status, "asked_error", NAN);
    const bool running = json_text_is(status, "state", "running");
    json_decref(status);
    text[0] = '\0';
    if (!running)
        return NAN;
    if (isnan(error))
        snprintf(text, size, ": %.0f runs", runs);
    else
        snprintf(text, size, ": %.0f runs, error %.1f %% of %.1f %%", runs, 100 * error,
                 100 * wanted);
    return left_s;
}

// Seconds that the cells behind the current one take; NAN: unknown.
static double rest_s(const struct progress *progress)
{
    double sum = 0;
    for (size_t i = 0; i < progress->states->count; i++)
        if (progress->waiting[i] && i != progress->current)
            sum += mean_of_target(&progress->means, progress->states->list[i].cell);
    return sum;
}

void progress_tick(const struct progress *progress)
{
    char line[LINE_SIZE], bar[BAR_WIDTH + 1], now[TEXT_SIZE], left[DURATION_SIZE];
    if (!progress->terminal || !progress->measuring)
        return;
    const size_t total = progress->states->count, full = progress->finished * BAR_WIDTH / total;
    const struct state *state = &progress->states->list[progress->current];
    const char *name = state->cell_name;
    double current_s = current_text(progress, name, now, sizeof now);
    if (isnan(current_s))
        current_s =
            fmax(mean_of_target(&progress->means, state->cell) - (now_s() - progress->since_s), 0);
    const double seconds = current_s + rest_s(progress);
    for (size_t i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < full ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    snprintf(line, sizeof line, "[%s] %zu/%zu %s%s%s%s%s", bar, progress->finished, total, name,
             now, isnan(seconds) ? "" : ", about ",
             isnan(seconds) ? "" : duration_text(seconds, left, sizeof left),
             isnan(seconds) ? "" : " left");
    struct winsize window;
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
    fprintf(stderr, "\r\033[K%.*s", (known ? window.ws_col : COLUMNS) - 1, line);
}

void progress_cell(struct progress *progress, size_t index)
{
    progress->current = index;
    progress->measuring = true;
    progress->since_s = now_s();
    progress_tick(progress);
}

void progress_cell_end(struct progress *progress, const char *state, const char *reason)
{
    const char *name = progress->states->list[progress->current].cell_name;
    const double seconds = now_s() - progress->since_s;
    const bool done = strcmp(state, "done") == 0;
    char text[LINE_SIZE], path[PATH_MAX], duration[DURATION_SIZE];
    progress->measuring = false;
    progress->waiting[progress->current] = false;
    progress->finished += strcmp(state, "interrupted") != 0;
    if (done)
        means_add(&progress->means, progress->states->list[progress->current].cell, seconds);
    if (progress->quiet && done)
        return;
    if (done)
        outcome_text(cell_path(progress->folder, name, "result.json", path), text, sizeof text);
    else
        snprintf(text, sizeof text, "%s%s%s", state, reason[0] ? ": " : "", reason);
    progress_clear(progress);
    const int digits = snprintf(NULL, 0, "%zu", progress->states->count);
    fprintf(stderr, "%*zu/%zu %s: %s (%s)\n", digits, progress->finished, progress->states->count,
            name, text, duration_text(seconds, duration, sizeof duration));
}

#include "progress.h"

#include "outcome.h"
#include "plan.h"

#include "common/record_json.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 20, COLUMNS = 80, LINE_SIZE = 1024, TEXT_SIZE = 256, DURATION_SIZE = 32 };

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool may_draw(bool quiet)
{
    const char *term = getenv("TERM");
    return !quiet && isatty(STDERR_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
}

bool progress_begin(struct progress *progress, const struct states *states, const char *folder,
                    bool quiet)
{
    *progress = (struct progress){.states = states,
                                  .folder = folder,
                                  .quiet = quiet,
                                  .terminal = may_draw(quiet),
                                  .spent_s = calloc(states->count + 1, sizeof(double)),
                                  .waiting = calloc(states->count + 1, sizeof(bool))};
    for (size_t i = 0; progress->spent_s && progress->waiting && i < states->count; i++) {
        const struct state *state = &states->list[i];
        progress->waiting[i] = state->todo;
        progress->finished += !state->todo;
        progress->spent_s[i] = !state->todo && state_is(state, "done")
                                   ? number_of(state->status, "spent_s", NAN)
                                   : NAN;
    }
    return progress->spent_s != NULL && progress->waiting != NULL;
}

void progress_end(struct progress *progress)
{
    progress_clear(progress);
    free(progress->spent_s);
    free(progress->waiting);
}

void progress_clear(const struct progress *progress)
{
    if (progress->terminal)
        fputs("\r\033[K", stderr);
}

/* How far the current cell is; returns the seconds that it still takes, or NAN. */
static double current_text(const struct progress *progress, const char *name, char *text,
                           size_t size)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/cells/%s/status.json", progress->folder, name);
    json_t *status = json_read_record(path, 0, NULL);
    const char *state = json_text_at(status, "state");
    const double runs = number_of(status, "runs", 0), error = number_of(status, "error", NAN);
    const double expected = number_of(status, "expected_runs", NAN);
    const double wanted = number_of(status, "asked_error", NAN);
    const bool running = state != NULL && strcmp(state, "running") == 0;
    json_decref(status);
    text[0] = '\0';
    if (!running)
        return NAN;
    if (isnan(error))
        snprintf(text, size, ": %.0f runs", runs);
    else
        snprintf(text, size, ": %.0f runs, error %.1f %% of %.1f %%", runs, 100 * error,
                 100 * wanted);
    return runs > 0 ? (now_s() - progress->since_s) * fmax(expected - runs, 0) / runs : NAN;
}

/* Mean seconds of the done cells of a target; NULL: of any; NAN: none is done. */
static double mean_s(const struct progress *progress, const char *target)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < progress->states->count; i++) {
        const char *other = json_text_at(progress->states->list[i].cell, "target");
        if (isnan(progress->spent_s[i]) ||
            (target != NULL && (other == NULL || strcmp(target, other) != 0)))
            continue;
        sum += progress->spent_s[i];
        count++;
    }
    return count > 0 ? sum / count : NAN;
}

/* Seconds that the cells behind the current one take; NAN: unknown. */
static double rest_s(const struct progress *progress)
{
    const double all = mean_s(progress, NULL);
    double sum = 0, mean = all;
    const char *last = NULL;
    for (size_t i = 0; i < progress->states->count; i++) {
        const char *target = json_text_at(progress->states->list[i].cell, "target");
        if (!progress->waiting[i] || i == progress->current)
            continue;
        /* Cells of a target follow each other. */
        if (target != NULL && (last == NULL || strcmp(target, last) != 0)) {
            mean = mean_s(progress, target);
            mean = isnan(mean) ? all : mean;
            last = target;
        }
        sum += mean;
    }
    return sum;
}

static int columns(void)
{
    struct winsize window;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col
                                                                               : COLUMNS;
}

void progress_tick(const struct progress *progress)
{
    char line[LINE_SIZE], bar[BAR_WIDTH + 1], now[TEXT_SIZE], left[DURATION_SIZE];
    if (!progress->terminal || !progress->measuring)
        return;
    const size_t total = progress->states->count, full = progress->finished * BAR_WIDTH / total;
    const struct state *state = &progress->states->list[progress->current];
    const char *name = json_text_at(state->cell, "name");
    double current_s = current_text(progress, name, now, sizeof now);
    if (isnan(current_s)) {
        const double mean = mean_s(progress, json_text_at(state->cell, "target"));
        current_s = fmax(mean - (now_s() - progress->since_s), 0);
    }
    const double seconds = current_s + rest_s(progress);
    for (size_t i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < full ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    snprintf(line, sizeof line, "[%s] %zu/%zu %s%s%s%s%s", bar, progress->finished, total, name,
             now, isnan(seconds) ? "" : ", about ",
             isnan(seconds) ? "" : duration_text(seconds, left, sizeof left),
             isnan(seconds) ? "" : " left");
    fprintf(stderr, "\r\033[K%.*s", columns() - 1, line);
}

void progress_cell(struct progress *progress, size_t index)
{
    progress->current = index;
    progress->measuring = true;
    progress->since_s = now_s();
    progress_tick(progress);
}

static int digits_of(size_t number)
{
    int digits = 1;
    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

void progress_cell_end(struct progress *progress, const char *state, const char *reason)
{
    const char *name = json_text_at(progress->states->list[progress->current].cell, "name");
    const double seconds = now_s() - progress->since_s;
    const bool done = strcmp(state, "done") == 0;
    char text[LINE_SIZE], path[PATH_MAX], duration[DURATION_SIZE];
    progress->measuring = false;
    progress->waiting[progress->current] = false;
    progress->finished += strcmp(state, "interrupted") != 0;
    if (done)
        progress->spent_s[progress->current] = seconds;
    if (progress->quiet && done)
        return;
    snprintf(path, sizeof path, "%s/cells/%s/result.json", progress->folder, name);
    if (done)
        outcome_text(path, text, sizeof text);
    else
        snprintf(text, sizeof text, "%s%s%s", state, reason[0] ? ": " : "", reason);
    progress_clear(progress);
    fprintf(stderr, "%*zu/%zu %s: %s (%s)\n", digits_of(progress->states->count),
            progress->finished, progress->states->count, name, text,
            duration_text(seconds, duration, sizeof duration));
}

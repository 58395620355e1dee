// Where a campaign is: a bar on a terminal, a line for each cell in a log.

#include "drive.h"

#include "common/lock.h"
#include "common/units.h"

#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 20, COLUMNS = 80, LINE_SIZE = 1024, TEXT_SIZE = 256 };

void progress_clear(const struct drive *drive)
{
    if (drive->terminal)
        fputs("\r\033[K", stderr);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// How far the current cell is; returns the seconds that it still takes, or NAN.
static double current_text(const struct drive *drive, char *text, size_t size)
{
    char path[PATH_MAX];
    json_auto_t *status =
        json_read_record(drive_cell_path(drive, drive->current, "status.json", path), 0, NULL);
    const double runs = number_of(status, "runs", 0), error = number_of(status, "error", NAN);
    text[0] = '\0';
    if (!json_text_is(status, "state", "running"))
        return NAN;
    if (isnan(error))
        snprintf(text, size, ": %.0f runs", runs);
    else
        snprintf(text, size, ": %.0f runs, error %.1f %% of %.1f %%", runs, 100 * error,
                 100 * number_of(status, "asked_error", NAN));
    return rest_of_cell(status);
}

void progress_draw(const struct drive *drive)
{
    static const char full[] = "####################", empty[] = "....................";
    char line[LINE_SIZE], now[TEXT_SIZE], left[NUMBER_SIZE];
    if (!drive->terminal || !drive->measuring)
        return;
    const size_t total = drive->states->count;
    const int done = (int)(drive->finished * BAR_WIDTH / total);
    double seconds = current_text(drive, now, sizeof now);
    if (isnan(seconds))
        seconds = fmax(mean_of_target(&drive->means, drive->states->list[drive->current].cell) -
                           (now_s() - drive->since_s),
                       0);
    // And the cells behind the current one.
    for (size_t i = 0; i < total; i++)
        if (drive->waiting[i] && i != drive->current)
            seconds += mean_of_target(&drive->means, drive->states->list[i].cell);
    snprintf(line, sizeof line, "[%.*s%.*s] %zu/%zu %s%s%s%s%s", done, full, BAR_WIDTH - done,
             empty, drive->finished, total, drive_cell_name(drive, drive->current), now,
             isnan(seconds) ? "" : ", about ", isnan(seconds) ? "" : number_duration(seconds, left),
             isnan(seconds) ? "" : " left");
    struct winsize window;
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
    fprintf(stderr, "\r\033[K%.*s", (known ? window.ws_col : COLUMNS) - 1, line);
}

void progress_begin(struct drive *drive, size_t index)
{
    drive->current = index;
    drive->measuring = true;
    drive->since_s = now_s();
    progress_draw(drive);
}

void progress_end(struct drive *drive, const char *state, const char *reason)
{
    const double seconds = now_s() - drive->since_s;
    const bool done = strcmp(state, "done") == 0;
    char text[LINE_SIZE], path[PATH_MAX], duration[NUMBER_SIZE];
    drive->measuring = false;
    drive->waiting[drive->current] = false;
    drive->finished += strcmp(state, "interrupted") != 0;
    if (done)
        means_add(&drive->means, drive->states->list[drive->current].cell, seconds);
    if (drive->campaign->quiet && done)
        return;
    if (done)
        outcome_text(drive_cell_path(drive, drive->current, "result.json", path), text,
                     sizeof text);
    else
        snprintf(text, sizeof text, "%s%s%s", state, reason[0] ? ": " : "", reason);
    progress_clear(drive);
    const int digits = snprintf(NULL, 0, "%zu", drive->states->count);
    fprintf(stderr, "%*zu/%zu %s: %s (%s)\n", digits, drive->finished, drive->states->count,
            drive_cell_name(drive, drive->current), text, number_duration(seconds, duration));
}

// What a recording of the machine and one of a neighbour are written with, and how a signal ends
// them.

#include "record.h"

#include "common/save.h"
#include "common/text.h"

#include <errno.h>
#include <signal.h>
#include <sys/utsname.h>

static volatile sig_atomic_t ended;

static void on_signal(int number)
{
    (void)number;
    ended = 1;
}

void record_end_by_signals(void)
{
    const struct sigaction action = {.sa_handler = on_signal};
    for (size_t i = 0; i < ENDING_SIGNALS; i++)
        if (!ending_is_left_out(ending_signals[i]))
            sigaction(ending_signals[i], &action, NULL);
}

bool record_sleep_to(int64_t time_ns)
{
    const struct timespec at = {time_ns / 1000000000, time_ns % 1000000000};
    while (!ended && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        continue;
    return !ended;
}

// A recording is of use as far as it got: it has whole lines, also on a full disk.
int record_line(FILE *file, struct line *line)
{
    const char *text = line_end(line);
    const bool written = text && save_append(fileno(file), text, line->used);
    const int error = errno;
    line_free(line);
    errno = error;
    return written ? 0 : -1;
}

void record_begin_header(struct line *line, const char *schema, unsigned cores, int64_t interval_ns)
{
    struct utsname system = {0};
    char now[DATE_SIZE];
    uname(&system);
    line_object(line, NULL);
    line_text(line, "schema", schema);
    line_count(line, "cores", cores);
    line_text(line, "unit", "percent");
    line_fixed(line, "interval_ms", (double)interval_ns / 1e6, 6);
    line_text(line, "recorded", date_utc(time(NULL), now));
    line_text(line, "kernel", system.release);
}

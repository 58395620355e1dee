/* The schedulers that are here. Whoever starts the doctor knows them; it only shows them. */

#include "checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scheduler {
    char job[64];      /* "": we are in none of its jobs */
    char version[128]; /* with its name */
    char silent[128];  /* the command that gives no version; "": it gives one */
};

/* Copies a field, ends it at the first of those characters, and returns what follows it. */
static const char *take_field(const char *at, const char *ends, char *to, size_t size)
{
    const size_t length = strcspn(at, ends);
    (void)snprintf(to, size, "%.*s", (int)length, at);
    return at + length + (at[length] == '\t');
}

/* Reads a line, and returns the next one. */
static const char *take_line(const char *line, struct scheduler *scheduler)
{
    line = take_field(line, "\t\n", scheduler->job, sizeof scheduler->job);
    line = take_field(line, "\t\n", scheduler->version, sizeof scheduler->version);
    line = take_field(line, "\n", scheduler->silent, sizeof scheduler->silent);
    return line + (*line == '\n');
}

/* "NAME 23.11.4", "NAME (COMMAND gives no version)" */
static const char *described(const struct scheduler *scheduler, char *text, size_t size)
{
    const bool silent = scheduler->silent[0] != '\0';
    (void)snprintf(text, size, "%s%s%s%s", scheduler->version, silent ? " (" : "",
                   scheduler->silent, silent ? " gives no version)" : "");
    return text;
}

void check_scheduler(struct findings *findings)
{
    const char *line = getenv("JOSTLE_SCHEDULERS");
    char names[256] = "", one[300], advice[256] = "";
    enum status status = STATUS_OK;
    size_t used = 0, count = 0;
    while (line != NULL && *line != '\0') {
        struct scheduler scheduler;
        line = take_line(line, &scheduler);
        (void)described(&scheduler, one, sizeof one);
        if (scheduler.job[0] != '\0') {
            findings_add(findings, "scheduler", STATUS_OK, NULL, "this is job %s of %s",
                         scheduler.job, one);
            return;
        }
        if (scheduler.silent[0] != '\0' && status == STATUS_OK) {
            status = STATUS_WARN;
            (void)snprintf(
                advice, sizeof advice,
                "run %s to see what is wrong; jostle submit --scheduler local needs none",
                scheduler.silent);
        }
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     count++ == 0 ? "" : ", ", one);
    }
    if (status == STATUS_OK && count > 1)
        (void)snprintf(advice, sizeof advice,
                       "jostle submit takes the first: give --scheduler for another");
    findings_add(findings, "scheduler", status, advice, "%s",
                 count > 0 ? names : "none found: jostle submit has a queue of its own");
}

/* The schedulers that are here. Whoever starts the doctor knows them; it only shows them. */

#include "checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void check_scheduler(struct findings *findings)
{
    char names[256] = "";
    size_t used = 0, count = 0;
    const char *line = getenv("JOSTLE_SCHEDULERS");
    for (; line != NULL && *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        const int version = (int)strcspn(line, "\t\n");
        const char *job = line + version + (line[version] == '\t');
        const int job_length = (int)strcspn(job, "\n");
        if (job_length > 0) {
            findings_add(findings, "scheduler", STATUS_OK, NULL, "this is job %.*s of %.*s",
                         job_length, job, version, line);
            return;
        }
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.*s",
                                     count++ == 0 ? "" : ", ", version, line);
    }
    findings_add(findings, "scheduler", STATUS_OK,
                 count > 1 ? "jostle submit takes the first: give --scheduler for another" : NULL,
                 "%s", count > 0 ? names : "none found: jostle submit has a queue of its own");
}

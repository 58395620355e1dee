// What the hub of one experiment holds, and how it answers. serve.h runs it,
// commands.h takes what comes, finish.h ends it; what it decides is course.h's.
#ifndef STATS_HUB_H
#define STATS_HUB_H

#include "command_line.h"
#include "course.h"
#include "folder.h"
#include "sources.h"
#include "status.h"

#include <stdio.h>

struct hub {
    const struct command_line *command;
    FILE *output;
    char *host; // the name of this machine
    struct experiment experiment;
    struct course course;
    struct folder folder;
    struct sources sources;
    struct status status;
    json_t *probe;    // the sample made before the next run; NULL: none
    json_t *warnings; // [{load, condition, text}, ...] of this session
    json_t *after;    // the counters at the end
    json_t *steps;    // [{step, name, ...}, ...], or a text why there are none
    size_t earlier;   // runs that an earlier session left
    bool has_begun, has_ended;
    bool service_died; // since it came up
    bool death_said;   // to the harness, which then ends the run
    bool awaits_run;   // while one is made, the death of the service is an answer, too
    bool await;        // an answer is owed when all awaited sources have sent their event
};

// Writes one answer. False if nobody reads it.
bool hub_answer(struct hub *hub, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Answers `failed`: because of that source ("-": the hub itself).
bool hub_fail(struct hub *hub, const char *source, const char *text);

// Keeps a warning for the result, and prints it, once. `source` NULL: of the harness.
void hub_warn(struct hub *hub, const struct source *source, const char *text);

// Whether an array of warnings has that one.
bool hub_has_warning(const json_t *warnings, const json_t *warning);

#endif

// What the hub of one experiment holds, and how it answers. main.c runs it, commands.h takes what
// comes and ends it, assemble.h puts its records together; what it decides is course.h's.
#ifndef STATS_HUB_H
#define STATS_HUB_H

#include "course.h"
#include "status.h"

#include <jansson.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

// What the program is told to do; exactly one of `experiment` and `derive`.
struct request {
    const char *experiment; // folder of the experiment to be the hub of
    const char *written;    // of its experiment.json, see lock_stamp; NULL: not known
    uint64_t pid;           // of jostle, for status.json
    bool quiet;
    bool derive; // result.json of the folders that are named
};

struct source {
    char *id;        // how commands name it: "meter", "service", "probe", or a load's index
    char *name;      // of the load
    char *condition; // of the load, NULL for meter
    char *node;      // NULL: the target's own
    bool optional;   // that it ends or fails ends nothing else
    int fd;          // -1: closed
    char *text;      // that came and was not taken yet
    size_t length, capacity;
    char *event;  // that is awaited, NULL: none
    json_t *last; // the last `mark`, meter's record, or the probe's sample
};

struct sources {
    struct source *source;
    size_t count;
    struct pollfd *poll; // [count + 1]: the first is free for the caller
};

enum { FOLDER_ERROR = 512 };

struct folder {
    char *path;               // without a slash at its end
    char *runs;               // path of runs.jsonl
    int fd;                   // of runs.jsonl, locked
    size_t lines;             // records that we have appended
    off_t size_bytes;         // of runs.jsonl, once we have appended to it
    size_t broken_line;       // the first line that folder_read found to be no record; 0: none
    double synced_s;          // when the run ended that runs.jsonl was last flushed after
    char error[FOLDER_ERROR]; // why the last call was false
};

struct hub {
    const struct request *request;
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

// Opens and locks PATH/runs.jsonl; another process's lock is waited for two
// seconds. All functions here are false with `error` set when they fail.
bool folder_open(struct folder *folder, const char *path);

// Moves a last line that was not written in full to runs.jsonl.torn, and says so
// on stderr.
bool folder_repair(struct folder *folder);

// An array with the record of each line, null for one that is none; a new reference. False if a
// record is of another version.
bool folder_read(struct folder *folder, json_t **records);

// Marks lines as not to be used, as `lines` says of each: block and order become 0, what they were
// is kept in `set_aside`, and the flag set-aside is added.
bool folder_set_aside(struct folder *folder, const bool *lines);

// Appends a record as one whole line; after a failure the file is as before. It is on the disk at
// once where a second has passed, by the times of the records, since the last that was flushed.
bool folder_append(struct folder *folder, const json_t *record);

// Brings all records to the disk.
bool folder_sync(struct folder *folder);

// PATH/NAME; to be freed.
char *folder_file(const struct folder *folder, const char *name);

void folder_close(struct folder *folder);

// Opens a FIFO for reading, without waiting for its writer. False with errno set.
bool sources_open(struct sources *sources, const char *id, const char *name, const char *condition,
                  const char *node, const char *path);

struct source *sources_find(struct sources *sources, const char *id);

// Waits until an awaited source can be read, or the descriptor `other` can.
// False if poll failed; *other_ready says whether it is `other`.
bool sources_wait(struct sources *sources, int other, bool *other_ready);

// The next whole line as JSON, a new reference; NULL where there is none yet (or
// no more: then fd is -1). A line that is no JSON object is passed over.
json_t *source_next(struct source *source);

void sources_free(struct sources *sources);

#endif

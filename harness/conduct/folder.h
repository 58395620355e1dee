// The folder of an experiment, with runs.jsonl, which is ours alone while we measure.

#ifndef CONDUCT_FOLDER_H
#define CONDUCT_FOLDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { FOLDER_ERROR = 512 };

struct folder {
    char *path;          // without a slash at its end
    char *runs;          // path of runs.jsonl
    int fd;              // of runs.jsonl, locked
    size_t lines;        // records that we have appended
    off_t size_bytes;    // of runs.jsonl, once we have appended to it
    size_t synced_lines; // those of them that are on the disk
    double synced_s;     // when the run ended that runs.jsonl was last flushed after; NAN: not yet
    bool is_described;   // experiment.json is on the disk, too
    char error[FOLDER_ERROR]; // why the last call was false
};

// Opens and locks PATH/runs.jsonl; another process's lock is waited for two
// seconds. All functions here are false with `error` set when they fail.
bool folder_open(struct folder *folder, const char *path);

// Moves a last line that was not written in full to runs.jsonl.torn, and says so
// on stderr.
bool folder_repair(struct folder *folder);

// Marks the records in those lines of the file as not to be used, as `lines` says of each: block
// and order become 0, what they were is kept in `set_aside`, and the flag set-aside is added.
bool folder_set_aside(struct folder *folder, const bool *lines);

// Appends a record as one whole line; after a failure the file is as before. It is on the disk at
// once where a second has passed, by the times of the records, since the last that was flushed.
bool folder_append(struct folder *folder, const json_t *record);

// Brings all records to the disk, with experiment.json.
bool folder_sync(struct folder *folder);

// PATH/NAME; to be freed.
char *folder_file(const struct folder *folder, const char *name);

void folder_close(struct folder *folder);

#endif

// The records of an experiment in their folder: runs.jsonl is ours alone while
// we measure.
#ifndef STATS_FOLDER_H
#define STATS_FOLDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

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

// Opens and locks PATH/runs.jsonl; another process's lock is waited for two
// seconds. All functions here are false with `error` set when they fail.
bool folder_open(struct folder *folder, const char *path);

// Moves a last line that was not written in full to runs.jsonl.torn, and says so
// on stderr.
bool folder_repair(struct folder *folder);

// All records, each with its line, as an array of {number of the line, record}
// in *records, a new reference: [[1, {...}], [2, {...}], ...]. Lines that are no
// record are left out.
bool folder_read(struct folder *folder, json_t **records);

// Marks lines as not to be used: block and order become 0, what they were is kept
// in `set_aside`, and the flag set-aside is added. `numbers`: an array of the
// numbers of lines.
bool folder_set_aside(struct folder *folder, const json_t *numbers);

// Appends a record as one whole line; after a failure the file is as before. It is on the disk at
// once where a second has passed, by the times of the records, since the last that was flushed.
bool folder_append(struct folder *folder, const json_t *record);

// Brings all records to the disk.
bool folder_sync(struct folder *folder);

// PATH/NAME; to be freed. NULL if memory ran out.
char *folder_file(const struct folder *folder, const char *name);

void folder_close(struct folder *folder);

#endif

// Where raw lines come from: meter, the loads, the service and the probe, each through a FIFO.
#ifndef STATS_SOURCES_H
#define STATS_SOURCES_H

#include <jansson.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

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

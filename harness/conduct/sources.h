// The pipes to and from meter, the loads, the service and the probe.

#ifndef CONDUCT_SOURCES_H
#define CONDUCT_SOURCES_H

#include <jansson.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Lines that come through a pipe, however long.
struct lines {
    int fd; // -1: closed
    char *text;
    size_t length, capacity;
    size_t taken; // of the text: the line that was given last
};

// Reads what has come. False: that was the end, and it is closed.
bool lines_read(struct lines *lines);

// The next whole line, without its newline, valid until the next call; NULL where there is none
// yet, or no more.
char *lines_next(struct lines *lines, size_t *length);

void lines_free(struct lines *lines);

struct source {
    char *id;        // how commands name it: "meter", "service", "probe", or a load's index
    char *name;      // of the load
    char *condition; // of the load, NULL for meter
    char *node;      // NULL: the target's own
    bool optional;   // that it ends or fails ends nothing else
    struct lines lines;
    int orders_fd; // where it reads what it is told; -1: closed, which ends it
    char *event;   // that is awaited, NULL: none
    json_t *last;  // the last `mark`, meter's record, or the probe's sample
};

struct sources {
    struct source *source;
    size_t count;
    struct pollfd *poll; // [count + 1]: the first is free for the caller
};

// Opens the FIFOs that it writes to and reads from, without waiting for it: so `source` has its
// names, which are copied. False with errno set.
bool sources_open(struct sources *sources, const struct source *source, const char *lines_path,
                  const char *orders_path);

struct source *sources_find(struct sources *sources, const char *id);

// Tells it a line, as printf makes it. That it is gone is found out by the answer that does not
// come.
void source_tell(const struct source *source, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Closes what it reads, which ends it. Safe to call twice.
void source_close(struct source *source);

// Waits until an awaited source can be read, or the descriptor `other` can, limit_ns at most (-1:
// however long). False if poll failed; *other_ready says whether it is `other`.
bool sources_wait(struct sources *sources, int other, int64_t limit_ns, bool *other_ready);

// The next whole line as JSON, a new reference; NULL where there is none yet (or
// no more: then it is closed). A line that is no JSON object is passed over.
json_t *source_next(struct source *source);

void sources_free(struct sources *sources);

#endif

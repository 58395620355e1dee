// What a service writes to one of its outputs: a file without a name on this node's own disk
// (capture.h says why), of which the end is kept, however long the service writes.
#ifndef METER_SERVICE_LOG_H
#define METER_SERVICE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct service_log {
    int fd;     // -1: there is none
    off_t from; // where the output of the last start begins
};

// service_log_open: makes the file. False with errno.
bool service_log_open(struct service_log *log);

// service_log_begin: a start of the service: what follows is its output.
void service_log_begin(struct service_log *log);

// service_log_trim: gives up the disk's blocks of all but the end. To be called now and then.
void service_log_trim(const struct service_log *log);

// service_log_text: the output since the last start, its last size - 1 bytes at most, with a
// terminating NUL (and with ? for each NUL of its own).
void service_log_text(const struct service_log *log, char *text, size_t size);

// service_log_last_line: the last line of it that is not blank; "" where there is none.
void service_log_last_line(const struct service_log *log, char *text, size_t size);

void service_log_close(struct service_log *log);

#endif

// What a service writes to its outputs.
#ifndef METER_SERVICE_LOG_H
#define METER_SERVICE_LOG_H

#include <stddef.h>
#include <sys/types.h>

struct service_log {
    int fd;     // a capture; -1: there is none
    off_t from; // where the output of the last start begins
};

// Its length; 0 also where that is not known.
off_t service_log_length(const struct service_log *log);

// Gives up the disk's blocks of all but the end. To be called now and then.
void service_log_trim(const struct service_log *log);

// The output since the last start, its last size - 1 bytes at most, with a
// terminating NUL (and with ? for each NUL of its own).
void service_log_text(const struct service_log *log, char *text, size_t size);

#endif

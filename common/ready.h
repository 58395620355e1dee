// What shows that a service can be used: the text of --ready.
#ifndef COMMON_READY_H
#define COMMON_READY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

enum ready_kind {
    READY_PORT,    // something accepts connections there
    READY_HTTP,    // an HTTP GET is answered with status 2xx or 3xx
    READY_MATCH,   // a line of the service's output matches
    READY_COMMAND, // a command exits with status 0
};

enum { READY_ADDRESSES = 2, READY_HOST_SIZE = 80, READY_PATH_SIZE = 1024, READY_REGEX_SIZE = 1024 };

// What kind of readiness it is, and what belongs to it.
struct ready {
    enum ready_kind kind;
    unsigned port;              // of a port and of HTTP
    char host[READY_HOST_SIZE]; // as given; "" for none: this machine
    struct sockaddr_storage address[READY_ADDRESSES];
    size_t address_count;         // to be tried in turn
    char path[READY_PATH_SIZE];   // of HTTP, from its / on
    char regex[READY_REGEX_SIZE]; // of a match: POSIX extended
    const char *command;          // a command line: text itself
};

// Reads port:[HOST:]N, http:URL (without encryption), match:/REGEX/, or a command. HOST is
// localhost or a numeric address, an IPv6 one in brackets: meter is linked statically and asks
// no name server. False: error says what is wrong and what to give. text has to stay.
bool ready_parse(struct ready *ready, const char *text, char *error, size_t size);
// An option's check.
bool ready_check(const char *text, char *error, size_t size);

#endif

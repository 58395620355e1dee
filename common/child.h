#ifndef COMMON_CHILD_H
#define COMMON_CHILD_H

#include "common/metric.h"

#include <limits.h>
#include <sys/socket.h>

// Other programs, run to their end.

// The path of a program that is installed where this one is, which need not exist;
// into a buffer of PATH_MAX. Returns it.
const char *child_path(const char *program, char path[PATH_MAX]);
// The first of that name in PATH, as execvp() would find it: relative where PATH is.
// False: it is not installed.
bool child_find(const char *program, char path[PATH_MAX]);
// Whether that path is a file that may be executed.
bool child_is_program(const char *path);
// Why execvp() of that word failed, of its errno, into text; returns it: "not found", "not
// executable", what of a program that is there is missing (its interpreter, its loader), or as
// strerror().
const char *child_why(const char *word, int error, char *text, size_t size);
// Runs argv (ended by NULL). It reads from the descriptor `input`; -1: our stdin. Its
// stdout becomes *output, to be freed; NULL: it stays ours. Returns its exit status,
// 128 + the signal that ended it, or -1 after a message when it could not be run;
// *output is then NULL.
int child_run(const char *const *argv, int input, char **output);

// What shows that a service can be used: the text of --ready.

enum ready_kind {
    READY_PORT,    // something accepts connections there
    READY_HTTP,    // an HTTP GET is answered with status 2xx or 3xx
    READY_MATCH,   // a line of the service's output matches
    READY_COMMAND, // a command exits with status 0
};

enum { READY_ADDRESSES = 2, READY_HOST_SIZE = 80, READY_PATH_SIZE = 1024, READY_REGEX_SIZE = 1024 };

// Of what kind, and what belongs to it.
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

// Metrics that are expressions of jq. The program jq evaluates them, as a process of its own:
// whatever it takes or leaks does not stay, and one that fails is a failed metric.

// One value that an expression gave.
enum jq_kind {
    JQ_NUMBER,     // text is the number
    JQ_NOTHING,    // null: what is not there is null to jq
    JQ_NOT_FINITE, // text is empty
    JQ_OTHER,      // of another type: text is JSON, its beginning
    JQ_ERROR,      // evaluating failed: text is jq's message, in quotes
};

struct jq_value {
    size_t metric; // index into the expressions
    enum jq_kind kind;
    const char *text; // until take() returns
};

struct jq_query {
    const char *const *expression;
    size_t count;
    void (*take)(void *user, const struct jq_value *value); // in the order of the input
    void *user;
};

// Evaluates the expressions on each JSON value of the file `input`, from its start, with one
// process. False with why in error: "no JSON: ..." or what else kept jq from reading it all;
// what take() was given is then of no use. It is ended after 60 s of CPU time.
bool jq_evaluate(const struct jq_query *query, int input, char *error, size_t size);

// Whether jq understands the expression of a metric; false with one line in error, also
// where jq is not installed.
bool metric_jq_check(const struct metric *metric, char *error, size_t size);

#endif

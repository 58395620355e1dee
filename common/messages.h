#ifndef COMMON_MESSAGES_H
#define COMMON_MESSAGES_H

#include <stdbool.h>

// What programs say on stderr: one line that names what was wrong, and what to
// do about it.

// "jostle: TEXT" and a newline in one write. Always false, so that a function
// may `return complain(...)`.
bool complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
// The same, for wrong use: ends the program with exit 2.
void usage_error(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
// The name nearest to a mistyped word; NULL if none is near. NULL ends names.
const char *nearest_name(const char *word, const char *const *names);
// Words it for a message: " (did you mean X?)", or "".
struct hint {
    char text[128];
};
struct hint nearest_hint(const char *word, const char *const *names);

// The three standard streams, made safe for every program.

// The first call of every main(). A program may be started with stdin, stdout or stderr
// closed; the next file that it opens would get that number, and what it prints would be
// written into a work file or a record. Each that is closed is given to /dev/null here, opened
// so that reading stdin, and writing to the others, fails with EBADF as if it were closed still.
// At exit() stdout is flushed: what could not be written is said on stderr, exit status 1
// (without words where its reader has gone). Exits with 1 where there is no /dev/null.
void streams_open(void);

// Writes to stdout, for the shell, a name and a value, each ended by NUL; nothing where the
// value is NULL.
void pair_put(const char *name, const char *value);
// Writes it with the value "true"; nothing where it was not given.
void pair_put_flag(const char *name, bool given);

#endif

#ifndef LOADGEN_COMMAND_H
#define LOADGEN_COMMAND_H

/* A control line: what it asks of the load. Pure. */

#include <stddef.h>

enum command_kind {
    COMMAND_WRONG,
    COMMAND_PAUSE,
    COMMAND_RESUME,
    COMMAND_RATE, /* argument: the rate, as text */
    COMMAND_MARK, /* argument: its name, any bytes but NUL and newline */
    COMMAND_QUIT,
};

struct command {
    enum command_kind kind;
    const char *word;     /* the first word, for a message */
    const char *argument; /* what follows the blank; NULL: none */
};

/* Reads a line of `length` bytes without its newline, ended by NUL; a carriage return at its end
 * is left out. A line with a NUL in it is wrong. The words are in text, which is written to. */
struct command command_read(char *text, size_t length);

#endif

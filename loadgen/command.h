#ifndef LOADGEN_COMMAND_H
#define LOADGEN_COMMAND_H

/* A control line: what it asks of the load. Pure. */

#include <stdbool.h>
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

/* Bytes in, whole lines out. Pure: it reads no file. */

enum { LINES_LONGEST = 4096 }; /* bytes of a line, with its newline */

struct lines {
    char text[LINES_LONGEST]; /* not taken yet */
    size_t used;
    bool skipping; /* the rest of a line that was too long */
};

enum lines_answer {
    LINES_NONE,     /* no whole line is there */
    LINES_ONE,      /* one was taken */
    LINES_TOO_LONG, /* one is longer than LINES_LONGEST: all of it is left out; said once */
};

/* Where the next bytes go, and for how many there is room: none while LINES_LONGEST bytes of
 * whole lines wait to be taken. */
char *lines_room(struct lines *lines, size_t *room);
/* So many bytes have been put there. */
void lines_added(struct lines *lines, size_t count);
/* Takes the next line, without its newline but ended by NUL, into text; it may hold NULs itself,
 * hence *length. */
enum lines_answer lines_take(struct lines *lines, char text[LINES_LONGEST], size_t *length);

#endif

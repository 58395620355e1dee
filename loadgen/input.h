#ifndef LOADGEN_INPUT_H
#define LOADGEN_INPUT_H

/* The control lines on stdin, on a libuv loop: a pipe, a socket, a terminal or a file. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <uv.h>

/* A control line: what it asks of the load. Pure. */

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

/* What is called with each line, and when there are no more; context is that of input_open(). */
struct input_listener {
    /* Whether a line may be handed on at this moment. */
    bool (*takes)(void *context);
    /* A line of `length` bytes, ended by NUL, which may be written to. */
    void (*line)(void *context, char *text, size_t length);
    /* A line that was left out, as longer than LINES_LONGEST. */
    void (*too_long)(void *context);
    /* After the last line. error: 0, or of libuv: stdin cannot be read. Once. */
    void (*ended)(void *context, int error);
};

struct input {
    const struct input_listener *listener;
    void *context;
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tty_t tty;
    } handle;
    bool is_stream; /* else a file, or /dev/null: cannot be polled, and need not be */
    bool reading;   /* the stream */
    bool handing;   /* a line is being handed on */
    bool ended, told;
    int error; /* of the end */
    struct lines lines;
};

/* Starts reading; what stdin is and cannot be is told to ended(). */
void input_open(struct input *input, uv_loop_t *loop, const struct input_listener *listener,
                void *context);
/* Hands on what there is, as far as it is taken: to be called whenever takes() may have become
 * true. Callable from within line(), too. */
void input_hand_on(struct input *input);

/* While a load under a harness prepares (a work file of many GiB, all of memory) nobody reads
 * its stdin: watches over the end of the harness for so long. */

struct watch;

/* Sends SIGTERM to this process as soon as stdin's writers are gone and nothing is left to be
 * read, and when `parent` ends, which holds for ever. NULL: out of memory or of threads. */
struct watch *watch_start(pid_t parent);
/* From then on end of file on stdin is the caller's to see. Takes NULL. */
void watch_stop(struct watch *watch);

#endif

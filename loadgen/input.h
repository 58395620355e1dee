// The control lines on stdin, as input.c reads them and control.c obeys them.
#ifndef LOADGEN_INPUT_H
#define LOADGEN_INPUT_H

#include "frame.h"

// Stdin: a pipe, a socket, a terminal or a file.
struct input {
    struct run *run;
    void *context; // of the following functions
    // Whether a line may be obeyed now. While it may not, lines wait.
    bool (*accepts)(void *context);
    // A line of `length` bytes, ended by NUL, which is written to.
    void (*obey)(void *context, char *text, size_t length);
    // Nothing more will come, and all lines have been obeyed.
    void (*at_end)(void *context);
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tty_t tty;
    } handle;
    bool open;
    bool is_stream; // else a file, or /dev/null: cannot be polled, and need not be
    bool reading;   // the stream
    bool handing;   // a line is being obeyed
    bool ended, told;
    int error; // of the end, of libuv
    struct lines lines;
};

// Begins to read in run->loop, which closes the handle.
void input_open(struct input *input);
// Obeys what there is: to be called whenever a line may have become acceptable, also from within
// obey().
void input_hand_on(struct input *input);

#endif

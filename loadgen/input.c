#include "input.h"

#include <errno.h>
#include <unistd.h>

/* Hands on whole lines; true: all that are there. */
static bool hand_on_lines(struct input *input)
{
    const struct input_listener *listener = input->listener;
    char text[LINES_LONGEST];
    size_t length;
    while (listener->takes(input->context)) {
        switch (lines_take(&input->lines, text, &length)) {
        case LINES_ONE:
            listener->line(input->context, text, length);
            break;
        case LINES_TOO_LONG:
            listener->too_long(input->context);
            break;
        default:
            return true;
        }
    }
    return false;
}

static void on_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    struct input *input = handle->data;
    (void)suggested;
    buffer->base = lines_room(&input->lines, &buffer->len);
}

static void on_input(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer)
{
    struct input *input = stream->data;
    (void)buffer;
    if (length < 0) {
        input->ended = true;
        input->error = length == UV_EOF ? 0 : (int)length;
    } else {
        lines_added(&input->lines, (size_t)length);
    }
    input_hand_on(input);
}

/* While lines wait that are not taken, more would find no room, which libuv takes for an error. */
static void read_stream(struct input *input)
{
    size_t room;
    (void)lines_room(&input->lines, &room);
    const bool read = !input->ended && room > 0;
    if (read && !input->reading)
        uv_read_start(&input->handle.stream, on_buffer, on_input);
    else if (!read && input->reading)
        uv_read_stop(&input->handle.stream);
    input->reading = read;
}

/* False when nothing more can come, or be taken in. */
static bool read_file(struct input *input)
{
    size_t room;
    char *at = lines_room(&input->lines, &room);
    if (input->is_stream || input->ended || room == 0)
        return false;
    const ssize_t length = read(STDIN_FILENO, at, room);
    if (length > 0) {
        lines_added(&input->lines, (size_t)length);
    } else if (length == 0 || errno != EINTR) {
        input->ended = true;
        input->error = length < 0 ? uv_translate_sys_error(errno) : 0;
    }
    return !input->ended;
}

void input_hand_on(struct input *input)
{
    bool all;
    if (input->handing || input->listener == NULL)
        return;
    input->handing = true;
    do
        all = hand_on_lines(input);
    while (all && read_file(input));
    input->handing = false;
    if (input->is_stream)
        read_stream(input);
    if (all && input->ended && !input->told) {
        input->told = true;
        input->listener->ended(input->context, input->error);
    }
}

static int open_stream(struct input *input, uv_loop_t *loop)
{
    int error;
    switch (uv_guess_handle(STDIN_FILENO)) {
    case UV_TTY:
        error = uv_tty_init(loop, &input->handle.tty, STDIN_FILENO, 1);
        break;
    case UV_NAMED_PIPE:
    case UV_TCP:
        error = uv_pipe_init(loop, &input->handle.pipe, 0);
        if (error == 0)
            error = uv_pipe_open(&input->handle.pipe, STDIN_FILENO);
        break;
    default:
        return 0;
    }
    input->handle.handle.data = input;
    input->is_stream = error == 0;
    return error;
}

void input_open(struct input *input, uv_loop_t *loop, const struct input_listener *listener,
                void *context)
{
    input->listener = listener;
    input->context = context;
    input->error = open_stream(input, loop);
    input->ended = input->error != 0;
    input_hand_on(input);
}

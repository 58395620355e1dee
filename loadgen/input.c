// The control lines on stdin, whatever it is: reads them, and hands them on as long as they are
// accepted.

#include "input.h"

// Obeys whole lines; true: all that are there.
static bool obey_lines(struct input *input)
{
    char text[LINES_LONGEST];
    size_t length;
    while (input->accepts(input->context)) {
        const enum lines_answer answer = lines_take(&input->lines, text, &length);
        if (answer == LINES_NONE)
            return true;
        if (answer == LINES_ONE) {
            input->obey(input->context, text, length);
            continue;
        }
        snprintf(text, sizeof text, "a line is too long: give at most %d bytes, with its newline",
                 LINES_LONGEST);
        report_say(&input->run->report, "error", text);
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

// False when nothing more can come, or be taken in.
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
    size_t room;
    bool all;
    if (input->handing || !input->open)
        return;
    input->handing = true;
    do
        all = obey_lines(input);
    while (all && read_file(input));
    input->handing = false;
    // While lines wait that are not taken, more would find no room, which libuv takes for an error.
    (void)lines_room(&input->lines, &room);
    const bool read = input->is_stream && !input->ended && room > 0;
    if (read && !input->reading)
        uv_read_start(&input->handle.stream, on_buffer, on_input);
    else if (!read && input->reading)
        uv_read_stop(&input->handle.stream);
    input->reading = read;
    if (!all || !input->ended || input->told)
        return;
    input->told = true;
    if (input->error != 0)
        run_fail(input->run, "cannot read stdin: %s: give it a pipe", uv_strerror(input->error));
    input->at_end(input->context);
}

void input_open(struct input *input)
{
    const uv_handle_type type = uv_guess_handle(STDIN_FILENO);
    if (type == UV_TTY)
        input->error = uv_tty_init(input->run->loop, &input->handle.tty, STDIN_FILENO, 1);
    else if (type == UV_NAMED_PIPE || type == UV_TCP)
        input->error = uv_pipe_init(input->run->loop, &input->handle.pipe, 0);
    if (input->error == 0 && (type == UV_NAMED_PIPE || type == UV_TCP))
        input->error = uv_pipe_open(&input->handle.pipe, STDIN_FILENO);
    input->is_stream =
        input->error == 0 && (type == UV_TTY || type == UV_NAMED_PIPE || type == UV_TCP);
    input->handle.handle.data = input;
    input->ended = input->error != 0;
    input->open = true;
    input_hand_on(input);
}

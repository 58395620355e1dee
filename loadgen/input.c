#include "input.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
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

struct watch {
    pthread_t thread;
    int stop_fd;
};

/* Lines that were written before the writer went away are obeyed later, to the last one. */
static void *wait_for_end(void *argument)
{
    const struct watch *watch = argument;
    struct pollfd polled[] = {{.fd = STDIN_FILENO, .events = POLLRDHUP},
                              {.fd = watch->stop_fd, .events = POLLIN}};
    int left = 0;
    while (polled[0].revents == 0 && polled[1].revents == 0)
        (void)poll(polled, 2, -1);
    if (polled[1].revents == 0 && (polled[0].revents & (POLLHUP | POLLRDHUP)) != 0 &&
        ioctl(STDIN_FILENO, FIONREAD, &left) == 0 && left == 0)
        kill(getpid(), SIGTERM);
    return NULL;
}

static int start_thread(struct watch *watch)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the main thread's */
    const int error = pthread_create(&watch->thread, NULL, wait_for_end, watch);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static void watch_parent(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    if (getppid() != parent) /* it died before that was in force */
        kill(getpid(), SIGTERM);
}

struct watch *watch_start(pid_t parent)
{
    struct watch *watch = malloc(sizeof *watch);
    watch_parent(parent);
    if (watch == NULL)
        return NULL;
    watch->stop_fd = eventfd(0, EFD_CLOEXEC);
    if (watch->stop_fd >= 0 && start_thread(watch) == 0)
        return watch;
    if (watch->stop_fd >= 0)
        close(watch->stop_fd);
    free(watch);
    return NULL;
}

void watch_stop(struct watch *watch)
{
    if (watch == NULL)
        return;
    (void)eventfd_write(watch->stop_fd, 1);
    pthread_join(watch->thread, NULL);
    close(watch->stop_fd);
    free(watch);
}

static const struct {
    const char *word;
    enum command_kind kind;
    bool has_argument;
} commands[] = {
    {"pause", COMMAND_PAUSE, false}, {"resume", COMMAND_RESUME, false},
    {"rate", COMMAND_RATE, true},    {"mark", COMMAND_MARK, true},
    {"quit", COMMAND_QUIT, false},
};

struct command command_read(char *text, size_t length)
{
    struct command command = {.kind = COMMAND_WRONG, .word = text};
    if (length > 0 && text[length - 1] == '\r')
        text[--length] = '\0';
    if (memchr(text, '\0', length) != NULL)
        return command;
    char *blank = strchr(text, ' ');
    if (blank != NULL) {
        *blank = '\0';
        command.argument = blank + 1;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(text, commands[i].word) == 0 &&
            commands[i].has_argument == (command.argument != NULL && *command.argument != '\0') &&
            (commands[i].has_argument || command.argument == NULL))
            command.kind = commands[i].kind;
    return command;
}

char *lines_room(struct lines *lines, size_t *room)
{
    *room = sizeof lines->text - lines->used;
    return lines->text + lines->used;
}

void lines_added(struct lines *lines, size_t count)
{
    lines->used += count;
}

/* Takes so many bytes away from the front. */
static void drop(struct lines *lines, size_t count)
{
    lines->used -= count;
    memmove(lines->text, lines->text + count, lines->used);
}

enum lines_answer lines_take(struct lines *lines, char text[LINES_LONGEST], size_t *length)
{
    for (;;) {
        const char *newline = memchr(lines->text, '\n', lines->used);
        if (newline == NULL)
            break;
        *length = (size_t)(newline - lines->text);
        memcpy(text, lines->text, *length);
        text[*length] = '\0';
        drop(lines, *length + 1);
        if (!lines->skipping)
            return LINES_ONE;
        lines->skipping = false;
    }
    const bool again = lines->skipping, full = lines->used == sizeof lines->text;
    if (again || full)
        lines->used = 0;
    lines->skipping = again || full;
    return full && !again ? LINES_TOO_LONG : LINES_NONE;
}

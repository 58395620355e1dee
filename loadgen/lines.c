#include "frame.h"

#include "common/arrangement.h"
#include "common/file.h"

#include <poll.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>

struct watch {
    pthread_t thread;
    int stop_fd;
};

// Lines that were written before the writer went away are obeyed later, to the last one.
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

struct watch *watch_start(pid_t parent)
{
    struct watch *watch = malloc(sizeof *watch);
    prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    if (getppid() != parent) // it died before that was in force
        kill(getpid(), SIGTERM);
    if (!watch)
        return NULL;
    watch->stop_fd = eventfd(0, EFD_CLOEXEC);
    if (watch->stop_fd >= 0 && thread_start(&watch->thread, wait_for_end, watch) == 0)
        return watch;
    if (watch->stop_fd >= 0)
        close(watch->stop_fd);
    free(watch);
    return NULL;
}

void watch_stop(struct watch *watch)
{
    if (!watch)
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
    if (memchr(text, '\0', length))
        return command;
    char *blank = strchr(text, ' ');
    if (blank) {
        *blank = '\0';
        command.argument = blank + 1;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(text, commands[i].word) == 0 &&
            commands[i].has_argument == (command.argument && *command.argument != '\0') &&
            (commands[i].has_argument || !command.argument))
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

enum lines_answer lines_take(struct lines *lines, char text[LINES_LONGEST], size_t *length)
{
    for (;;) {
        const char *newline = memchr(lines->text, '\n', lines->used);
        if (!newline)
            break;
        *length = (size_t)(newline - lines->text);
        memcpy(text, lines->text, *length);
        text[*length] = '\0';
        lines->used -= *length + 1;
        memmove(lines->text, newline + 1, lines->used);
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

#define LAST_READ_MS 1000              // that the reader of a hurried report has
#define MOST_WAITING ((size_t)4 << 20) // some hours of intervals of a second

void report_open(struct line *line, const char *event)
{
    *line = (struct line){0};
    line_object(line, NULL);
    line_text(line, "event", event);
}

void report_init(struct report *report, bool json)
{
    struct stat status;
    *report = (struct report){.json = json};
    report->is_file = fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode);
    pthread_mutex_init(&report->mutex, NULL);
}

// Whether a write of PIPE_BUF bytes or less will not block: pipe(7).
static bool is_ready(const struct report *report, int timeout_ms)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return report->is_file || poll(&out, 1, timeout_ms) == 1;
}

// As much of it as can be written without blocking; returns how much.
static size_t write_ready(struct report *report, const char *text, size_t length)
{
    size_t done = 0;
    while (done < length && !report->broken && is_ready(report, 0)) {
        const size_t left = length - done,
                     part = report->is_file || left < PIPE_BUF ? left : PIPE_BUF;
        const ssize_t written = write(STDOUT_FILENO, text + done, part);
        if (written >= 0) {
            done += (size_t)written;
        } else if (errno == EAGAIN) {
            break; // another process made the shared pipe non-blocking
        } else if (errno != EINTR) {
            report->broken = true;
            report->error = errno;
        }
    }
    return done;
}

// What could not be written yet is kept until its reader reads on: a load does not wait for
// whoever reads its report. A line that finds too much waiting already is left out whole.
static void keep(struct report *report, const char *text, size_t length, bool whole)
{
    const size_t wanted = report->waiting + length;
    if (wanted > report->room) {
        char *larger = whole && wanted > MOST_WAITING ? NULL : realloc(report->kept, 2 * wanted);
        if (!larger) {
            report->lost += 1;
            report->error = ENOMEM;
            report->broken = report->broken || !whole; // half a line breaks a reader
            return;
        }
        report->kept = larger;
        report->room = 2 * wanted;
    }
    memcpy(report->kept + report->waiting, text, length);
    report->waiting = wanted;
}

static void flush(struct report *report)
{
    const size_t done = write_ready(report, report->kept, report->waiting);
    report->waiting -= done;
    memmove(report->kept, report->kept + done, report->waiting);
}

// All of it, now or later, or the report is broken from now on.
static void write_all(struct report *report, const char *text, size_t length)
{
    size_t done = 0;
    pthread_mutex_lock(&report->mutex);
    if (report->waiting > 0)
        flush(report);
    if (report->waiting == 0)
        done = write_ready(report, text, length);
    if (done < length && !report->broken)
        keep(report, text + done, length - done, done == 0);
    pthread_mutex_unlock(&report->mutex);
}

bool report_flush(struct report *report)
{
    pthread_mutex_lock(&report->mutex);
    if (report->waiting > 0)
        flush(report);
    const bool waits = report->waiting > 0 && !report->broken;
    pthread_mutex_unlock(&report->mutex);
    return waits;
}

bool report_end(struct report *report)
{
    while (report_flush(report) && is_ready(report, report->hurried ? LAST_READ_MS : -1))
        continue;
    const bool complete = !report->broken && report->waiting == 0 && report->lost == 0;
    if (report->broken && report->error != EPIPE)
        complain("cannot write to stdout: %s: the report is incomplete", strerror(report->error));
    else if (!report->broken && !complete)
        complain("stdout was not read: the report is incomplete: read it while the load runs");
    free(report->kept);
    report->kept = NULL;
    report->waiting = report->room = 0;
    pthread_mutex_destroy(&report->mutex);
    return complete;
}

void report_write(struct report *report, struct line *line)
{
    const char *text = line_end(line);
    if (!text)
        complain("out of memory: an event is lost: free some");
    else
        write_all(report, text, line->used);
    line_free(line);
}

void report_text(struct report *report, const char *text)
{
    write_all(report, text, strlen(text));
}

void report_print(struct report *report, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    if (report->json)
        return;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length >= 0)
        write_all(report, text, (size_t)length);
    else
        complain("out of memory: a line of the report is lost: free some");
    if (length >= 0)
        free(text);
}

void report_say(struct report *report, const char *event, const char *text)
{
    struct line line;
    if (!report->json) {
        complain("%s", text);
        return;
    }
    report_open(&line, event);
    line_text(&line, "message", text);
    report_write(report, &line);
}

// ---- the signals that end a load ----

const int ending_signals[ENDING_SIGNALS] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

bool ending_is_left_out(int number)
{
    struct sigaction action;
    return number != SIGTERM && sigaction(number, NULL, &action) == 0 &&
           action.sa_handler == SIG_IGN;
}

static void end_at_once(int number)
{
    _exit(128 + number);
}

void ending_without_core(void)
{
    const struct sigaction action = {.sa_handler = end_at_once};
    if (!ending_is_left_out(SIGQUIT))
        sigaction(SIGQUIT, &action, NULL);
}

void ending_begin(void)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t heard;
    sigemptyset(&heard);
    sigaddset(&heard, SIGCHLD);
    for (size_t i = 0; i < ENDING_SIGNALS; i++)
        sigaddset(&heard, ending_signals[i]);
    sigprocmask(SIG_UNBLOCK, &heard, NULL);
    sigaction(SIGCHLD, &usual, NULL);
    sigaction(SIGTERM, &usual, NULL);
    ending_without_core();
}

// ---- guards ----

// Source: proc_pid_stat(5): fields 48 and 49, arg_start and arg_end.
enum { STATE = 3, ARG_START = 48 };

// Gives this process another name, of up to 15 bytes, also as its command line in ps: the memory
// of argv is written over, so that nothing may point there any more.
static void title_set(const char *name)
{
    char text[2048];
    prctl(PR_SET_NAME, name);
    char *at =
        file_read(AT_FDCWD, "/proc/self/stat", text, sizeof text) ? strrchr(text, ')') : NULL;
    for (int field = STATE; at && field <= ARG_START; field++)
        at = strchr(at + 1, ' ');
    if (!at)
        return;
    const uintptr_t start = strtoull(at, &at, 10), end = strtoull(at, NULL, 10);
    const size_t length = strlen(name);
    if (start == 0 || end <= start + length) // 0: hidden from us
        return;
    memset((char *)start, 0, end - start);
    memcpy((char *)start, name, length);
}

void guard_begin(void)
{
    title_set("jostle-guard"); // `pkill -KILL -f loadgen` is a case for it, not its end
    prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0); // nobody keeps it from its duty by stopping it
    arrangement_apart();
}

void prefault_begin(struct prefault *prefault, unsigned workers)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    atomic_store(&prefault->left, workers);
    for (size_t i = 0; i < ENDING_SIGNALS; i++) {
        sigaction(ending_signals[i], NULL, &prefault->before[i]);
        // What the control plane has left ignored stays so.
        if (prefault->before[i].sa_handler != SIG_IGN)
            sigaction(ending_signals[i], &usual, NULL);
    }
    ending_without_core();
}

void prefault_done(struct prefault *prefault)
{
    if (atomic_fetch_sub(&prefault->left, 1) != 1)
        return;
    for (size_t i = 0; i < ENDING_SIGNALS; i++)
        sigaction(ending_signals[i], &prefault->before[i], NULL);
}

// Finds out whether a server can be used: by its port, its answers, its output or a command.
#include "service_ready.h"

#include "capture.h"
#include "open_files.h"
#include "service_log.h"
#include "service_process.h"

#include "common/clock.h"
#include "common/file.h"
#include "common/pattern.h"
#include "common/ready.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CONNECT_MS 200
#define ANSWER_NS  NS_PER_S

// Waits for a socket that is still connecting.
static bool finish_connection(int fd)
{
    struct pollfd file = {.fd = fd, .events = POLLOUT};
    int error = 0;
    socklen_t size = sizeof error;
    return poll(&file, 1, CONNECT_MS) == 1 &&
           getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

// A socket that is connected to the first address that accepts; -1: none does.
static int connect_to(const struct ready *ready)
{
    for (size_t i = 0; i < ready->address_count; i++) {
        const struct sockaddr *address = (const struct sockaddr *)&ready->address[i];
        const int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0)
            continue;
        if (connect(fd, address, sizeof ready->address[i]) == 0 ||
            (errno == EINPROGRESS && finish_connection(fd)))
            return fd;
        (void)close(fd);
    }
    return -1;
}

// Whether a server accepts connections where a port or an HTTP URL is. Waits for
// 0.2 s an address at most.
static bool probe_answers(const struct ready *ready)
{
    int fd = connect_to(ready);
    const bool answers = fd >= 0;
    fd_close(&fd);
    return answers;
}

// The first size - 1 bytes of the answer, or what there is of them in time.
static void read_start(int fd, char *text, size_t size)
{
    const int64_t deadline_ns = clock_ns() + ANSWER_NS;
    size_t length = 0;
    while (length < size - 1) {
        struct pollfd file = {.fd = fd, .events = POLLIN};
        const int64_t left_ms = (deadline_ns - clock_ns()) / NS_PER_MS;
        if (left_ms <= 0 || poll(&file, 1, (int)left_ms) < 1)
            break;
        const ssize_t got = read(fd, text + length, size - 1 - length);
        if (got <= 0)
            break;
        length += (size_t)got;
    }
    text[length] = '\0';
}

// Whether a GET of the URL is answered with status 2xx or 3xx, within 1 s.
static bool probe_http(const struct ready *ready)
{
    char request[READY_PATH_SIZE + READY_HOST_SIZE + 128], answer[16];
    unsigned status = 0;
    const int fd = connect_to(ready);
    if (fd < 0)
        return false;
    // 1.0: the answer ends with the connection, and the host is a mere courtesy.
    const int length = snprintf(request, sizeof request,
                                "GET %s HTTP/1.0\r\nHost: %s\r\nConnection: close\r\n\r\n",
                                ready->path, ready->host);
    if (file_write_all(fd, request, (size_t)length)) {
        read_start(fd, answer, sizeof answer);
        if (sscanf(answer, "HTTP/%*1u.%*1u %3u", &status) != 1)
            status = 0;
    }
    (void)close(fd);
    return status >= 200 && status < 400;
}

// Whether a line of the text matches the regular expression; without one that
// is valid it does not.
static bool probe_matches(const struct ready *ready, const char *text)
{
    regex_t compiled;
    char why[128];
    if (!pattern_compile(&compiled, ready->regex, REG_NOSUB | REG_NEWLINE, why, sizeof why))
        return false;
    const bool matches = regexec(&compiled, text, 0, NULL, 0) == 0;
    regfree(&compiled);
    return matches;
}

// Whether a server that was started can be used, by the sign of --ready.

#define PROBE_FIRST_MS 2
#define PROBE_LAST_MS  100
#define ABSENT_NS      NS_PER_S

// Whether the command of --ready succeeds.
static bool succeeds_already(struct service_process *process, const char *command)
{
    const int64_t deadline_ns = clock_ns() + ABSENT_NS;
    process->probe_succeeded = false;
    service_process_probe(process, command);
    while (process->probe != 0 && !process->leave && clock_ns() < deadline_ns)
        service_process_wait(process, PROBE_LAST_MS, false);
    (void)service_process_kill(process);
    return process->probe_succeeded;
}

// Whether the sign is not there before the start: else something else
// would be measured. A command has a second to succeed. False: text says what is there.
bool service_ready_absent(struct service_process *process, const struct ready *ready, char *text,
                          size_t size)
{
    if (ready->kind == READY_COMMAND && succeeds_already(process, ready->command)) {
        snprintf(text, size,
                 "%.200s succeeds already before it is started, and so cannot show that it is up: "
                 "end what answers there, or give another --ready",
                 ready->command);
        return false;
    }
    if ((ready->kind == READY_PORT || ready->kind == READY_HTTP) && probe_answers(ready)) {
        snprintf(text, size,
                 "port %u is in use already: something else answers there, and would be measured: "
                 "end it, or give the service another port",
                 ready->port);
        return false;
    }
    return true;
}

// Whether what it has written to one of its outputs does.
static bool matches(const struct ready *ready, const struct service_log *log, char *text)
{
    service_log_text(log, text, CAPTURE_KEPT_BYTES);
    return probe_matches(ready, text);
}

static bool is_ready(struct service_process *process, const struct ready *ready)
{
    switch (ready->kind) {
    case READY_PORT:
        return probe_answers(ready);
    case READY_HTTP:
        return probe_http(ready);
    case READY_COMMAND:
        if (!process->probe_succeeded)
            service_process_probe(process, ready->command);
        return process->probe_succeeded;
    case READY_MATCH:
        break;
    }
    char *text = malloc(CAPTURE_KEPT_BYTES);
    const bool found =
        text && (matches(ready, &process->out, text) || matches(ready, &process->errors, text));
    free(text);
    return found;
}

static bool say_late(const struct service_process *process, char *text, size_t size)
{
    char line[300];
    const double limit_s = (double)process->asked->ready_timeout_ns / NS_PER_S;
    service_process_last_line(process, line, sizeof line);
    if (process->probe_why[0] != '\0')
        snprintf(line, sizeof line, "its command cannot be run: %s", process->probe_why);
    snprintf(text, size,
             "it was not ready after %g s (%.60s)%s%.250s: correct --ready, or raise "
             "--ready-timeout",
             limit_s, process->asked->ready, line[0] == '\0' ? "" : ": ", line);
    return false;
}

static bool say_early(const struct service_process *process, char *text, size_t size)
{
    const int length = snprintf(text, size, "it ");
    (void)service_process_how(process, " before it was ready", text + length,
                              size - (size_t)length);
    return false;
}

// Waits for the sign, --ready-timeout at most. False: text says why it did
// not come, and is "" where we have to leave.
bool service_ready_await(struct service_process *process, const struct ready *ready, char *text,
                         size_t size)
{
    const int64_t deadline_ns = clock_ns() + process->asked->ready_timeout_ns;
    int pause_ms = PROBE_FIRST_MS;
    for (bool is_up = false; !process->leave;) {
        if (service_process_gone(process))
            return say_early(process, text, size);
        if (is_up)
            return true;
        if (clock_ns() >= deadline_ns)
            return say_late(process, text, size);
        service_process_wait(process, pause_ms, false);
        pause_ms = pause_ms * 3 / 2 + 1 < PROBE_LAST_MS ? pause_ms * 3 / 2 + 1 : PROBE_LAST_MS;
        is_up = is_ready(process, ready);
    }
    text[0] = '\0';
    return false;
}

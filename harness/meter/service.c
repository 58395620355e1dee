#include "meter.h"

#include "common/arrangement.h"
#include "common/clock.h"
#include "common/cpus.h"
#include "common/file.h"
#include "common/group.h"
#include "common/messages.h"
#include "common/pattern.h"
#include "common/ready.h"
#include "common/save.h"
#include "common/text.h"
#include "common/units.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
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
static bool service_ready_absent(struct service_process *process, const struct ready *ready,
                                 char *text, size_t size)
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
    const double limit_s = (double)process->settings->ready_timeout_ns / NS_PER_S;
    service_process_last_line(process, line, sizeof line);
    if (process->probe_why[0] != '\0')
        snprintf(line, sizeof line, "its command cannot be run: %s", process->probe_why);
    snprintf(text, size,
             "it was not ready after %g s (%.60s)%s%.250s: correct --ready, or raise "
             "--ready-timeout",
             limit_s, process->settings->ready, line[0] == '\0' ? "" : ": ", line);
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
static bool service_ready_await(struct service_process *process, const struct ready *ready,
                                char *text, size_t size)
{
    const int64_t deadline_ns = clock_ns() + process->settings->ready_timeout_ns;
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

#define TRIM_MS 1000

struct service {
    struct service_process process;
    struct ready ready;
    struct stall_files stalls;
    struct service_totals marked; // at the last mark
    int64_t marked_ns;            // 0: it was never up
    bool wrong;                   // a line was no command
    int output_fd;
    bool is_up;
    int64_t up_ns; // when it was ready
    uint64_t starts;
    char died[512]; // how, since the last start; "": it has not
    char commands[256];
    size_t length; // of what has been read, and not been carried out yet
};

// ---- answers ----

// Writes a line that has been begun. False when nobody reads it.
static bool say(struct service *service, struct line *line)
{
    const char *text = line_end(line);
    const bool good = text && save_append(service->output_fd, text, line->used);
    line_free(line);
    return good;
}

static bool say_event(struct service *service, const char *event, const char *message)
{
    struct line line = {0};
    line_object(&line, NULL);
    line_text(&line, "event", event);
    if (message)
        line_text(&line, "message", message);
    return say(service, &line);
}

// The experiment cannot have what it wants.
static bool fail(struct service *service, const char *message)
{
    (void)say_event(service, "error", message);
    return false;
}

// ---- up ----

// What follows is since now.
static void mark_now(struct service *service, struct service_totals *totals)
{
    service_totals_free(&service->marked);
    service->marked = *totals;
    service->marked_ns = clock_ns();
}

// False: text says why not, and is "" where we have to leave.
static bool start(struct service *service, char *text, size_t size)
{
    struct service_process *process = &service->process;
    if (!service_ready_absent(process, &service->ready, text, size))
        return false;
    service->starts++;
    service->died[0] = '\0';
    stalls_close(&service->stalls);
    if (!service_process_start(process, text, size))
        return false;
    stalls_open(&service->stalls, &process->group);
    return service_ready_await(process, &service->ready, text, size);
}

static bool up(struct service *service)
{
    struct service_totals totals = {0};
    char text[512] = "";
    if (service->is_up)
        return say_event(service, "up", NULL);
    if (!start(service, text, sizeof text))
        return text[0] != '\0' && fail(service, text);
    service->is_up = true;
    service->up_ns = clock_ns();
    service_totals_read(&totals, &service->process.group, &service->stalls);
    mark_now(service, &totals);
    return say_event(service, "up", NULL);
}

static bool down(struct service *service)
{
    char text[256];
    const bool ended = service_process_end(&service->process);
    service->is_up = false;
    if (!ended)
        return fail(service, "a process of it cannot be killed");
    if (!service->process.killed)
        return true;
    snprintf(
        text, sizeof text,
        "the service did not end within %d s of --stop-signal %.20s, and was killed: so it is for "
        "each block: give the signal that ends it",
        SERVICE_STOP_S, service->process.settings->stop_name);
    return say_event(service, "warning", text);
}

// ---- while it is up ----

// Says so, and ends what is left of it.
static bool notice_death(struct service *service)
{
    struct service_process *process = &service->process;
    if (!service->is_up || process->leave || !service_process_gone(process))
        return true;
    // A signal to all of us may have ended it a moment before it reached us.
    service_process_wait(process, 50, false);
    if (process->leave)
        return true;
    (void)service_process_how(process, "", service->died, sizeof service->died);
    service->is_up = false;
    return say_event(service, "died", service->died) && service_process_end(process);
}

static void add_cpus(struct line *line, const struct service *service)
{
    struct cpu_list list;
    char text[CPUS_TEXT];
    const char *wanted = service->process.settings->cpus;
    if (wanted)
        line_text(line, "cpus", wanted);
    else if (cpus_allowed(&list) == 0)
        line_text(line, "cpus", cpus_format(&list, text, sizeof text));
    else
        line_null(line, "cpus");
}

static bool mark(struct service *service)
{
    if (service->marked_ns == 0) {
        service->wrong = true;
        return complain("--service: mark before the service was up: write start first");
    }
    struct line line = {0};
    struct service_totals totals = {0};
    const int64_t now_ns = clock_ns();
    service_totals_read(&totals, &service->process.group, &service->stalls);
    line_object(&line, NULL);
    line_text(&line, "event", "mark");
    service_totals_write(&line, &service->marked, &totals, now_ns - service->marked_ns);
    line_seconds(&line, "age_s", service->marked_ns - service->up_ns, 6);
    line_count(&line, "starts", service->starts);
    line_text(&line, "died", service->died[0] == '\0' ? NULL : service->died);
    line_text(&line, "accounting", accounting_name(accounting_of(&service->process.group)));
    add_cpus(&line, service);
    mark_now(service, &totals);
    return say(service, &line);
}

// ---- commands ----

// Takes the number of the server that is to be started; without one it is the one that was.
static bool take_number(struct service *service, const char *text)
{
    uint64_t number = service->process.command;
    if (*text != '\0' && (*text != ' ' || units_count(text + 1, &number) != 0 ||
                          number >= service->process.settings->target_count))
        return false;
    service->process.command = number;
    return true;
}

static bool obey(struct service *service, const char *command)
{
    const char *number = text_after(command, "restart");
    if (strcmp(command, "start") == 0)
        return up(service);
    if (number && take_number(service, number))
        return down(service) && up(service);
    if (strcmp(command, "mark") == 0)
        return mark(service);
    if (strcmp(command, "stop") == 0)
        return down(service) && say_event(service, "down", NULL);
    service->wrong = true;
    return complain("--service: a line is no command: write start, restart, restart N, mark or "
                    "stop");
}

// What has come. False at the end.
static bool read_commands(struct service *service)
{
    struct pollfd file = {.fd = STDIN_FILENO, .events = POLLIN};
    const size_t left = sizeof service->commands - service->length;
    if (poll(&file, 1, 0) != 1 || left == 0)
        return left > 0;
    const ssize_t got = read(STDIN_FILENO, service->commands + service->length, left);
    service->length += got > 0 ? (size_t)got : 0;
    return got > 0;
}

static bool take_commands(struct service *service)
{
    char *end;
    while (service->length > 0 &&
           (end = memchr(service->commands, '\n', service->length)) != NULL) {
        *end = '\0';
        // It may have ended since this line was written, and is not to be missed in a mark.
        service_process_wait(&service->process, 0, false);
        if (!notice_death(service) || !obey(service, service->commands))
            return false;
        const size_t size = (size_t)(end - service->commands) + 1;
        service->length -= size;
        memmove(service->commands, end + 1, service->length);
    }
    return true;
}

static void keep_logs(const struct service *service)
{
    const struct settings *settings = service->process.settings;
    if (settings->out_path)
        (void)capture_keep(service->process.out.fd, settings->out_path);
    if (settings->error_path)
        (void)capture_keep(service->process.errors.fd, settings->error_path);
}

static void loop(struct service *service)
{
    struct service_process *process = &service->process;
    while (!process->leave) {
        service_process_wait(process, TRIM_MS, true);
        if (process->leave || !notice_death(service) || !read_commands(service) ||
            !take_commands(service))
            break;
        service_log_trim(&process->out);
        service_log_trim(&process->errors);
    }
}

// False after a message.
static bool open_all(struct service *service)
{
    const struct settings *settings = service->process.settings;
    char error[256];
    // A signal to the process group of the harness is not for the server, nor for us: we see that
    // the harness ends, and end the server in good order.
    arrangement_apart();
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return complain("cannot become the service's supervisor: %s", strerror(errno));
    if (!ready_parse(&service->ready, settings->ready, error, sizeof error))
        return complain("--ready %s: %s", settings->ready, error);
    if (!launch_open_output(&service->output_fd, settings->output))
        return false;
    service->process.out.fd = capture_open();
    service->process.errors.fd = service->process.out.fd < 0 ? -1 : capture_open();
    if (service->process.errors.fd < 0)
        return complain("no temporary file: %s: set TMPDIR to a folder that can be written",
                        strerror(errno));
    return accounting_find(&service->process.group, settings->accounting) &&
           (say_event(service, "ready", NULL) || save_complain(settings->output));
}

int service_run(const struct settings *settings, const struct signals *signals)
{
    struct service service = {.process = {.settings = settings,
                                          .signals = signals,
                                          .group = GROUP_OF_NONE,
                                          .out = {.fd = -1},
                                          .errors = {.fd = -1}},
                              .output_fd = -1};
    int code = EXIT_NOT_RUN;
    if (open_all(&service)) {
        loop(&service);
        code = service_process_end(&service.process) ? EXIT_RECORDED : EXIT_LOST;
        keep_logs(&service);
    }
    stalls_close(&service.stalls);
    group_remove(&service.process.group);
    service_totals_free(&service.marked);
    fd_close(&service.process.out.fd);
    fd_close(&service.process.errors.fd);
    return service.wrong ? EXIT_WRONG_USE : code;
}

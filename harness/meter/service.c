// Keeps a server running for the runs of others, and answers their commands.
#include "service.h"

#include "accounting.h"
#include "capture.h"
#include "command_line.h"
#include "launch.h"
#include "open_files.h"
#include "service_log.h"
#include "service_process.h"
#include "service_ready.h"
#include "service_totals.h"
#include "signals.h"
#include "stalls.h"

#include "common/arrangement.h"
#include "common/clock.h"
#include "common/cpus.h"
#include "common/group.h"
#include "common/json.h"
#include "common/messages.h"
#include "common/ready.h"
#include "common/save.h"
#include "common/text.h"
#include "common/units.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

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
        SERVICE_STOP_S, service->process.asked->stop_name);
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
    const char *wanted = service->process.asked->cpus;
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
                          number >= service->process.asked->target_count))
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
    const struct command_line *asked = service->process.asked;
    if (asked->out_path)
        (void)capture_keep(service->process.out.fd, asked->out_path);
    if (asked->error_path)
        (void)capture_keep(service->process.errors.fd, asked->error_path);
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
    const struct command_line *asked = service->process.asked;
    char error[256];
    // A signal to the process group of the harness is not for the server, nor for us: we see that
    // the harness ends, and end the server in good order.
    arrangement_apart();
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return complain("cannot become the service's supervisor: %s", strerror(errno));
    if (!ready_parse(&service->ready, asked->ready, error, sizeof error))
        return complain("--ready %s: %s", asked->ready, error);
    if (!launch_open_output(&service->output_fd, asked->output))
        return false;
    service->process.out.fd = capture_open();
    service->process.errors.fd = service->process.out.fd < 0 ? -1 : capture_open();
    if (service->process.errors.fd < 0)
        return complain("no temporary file: %s: set TMPDIR to a folder that can be written",
                        strerror(errno));
    return accounting_find(&service->process.group, asked->accounting) &&
           (say_event(service, "ready", NULL) || save_complain(asked->output));
}

int service_run(const struct command_line *asked, const struct signals *signals)
{
    struct service service = {.process = {.asked = asked,
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

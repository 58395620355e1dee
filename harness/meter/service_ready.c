#include "service_ready.h"

#include "capture.h"
#include "clock.h"
#include "probe.h"

#include <stdio.h>
#include <stdlib.h>

#define PROBE_FIRST_MS 2
#define PROBE_LAST_MS  100
#define ABSENT_NS      NS_PER_S

// succeeds_already: the command of --ready.
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

// matches: whether what it has written to one of its outputs does.
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
    const bool found = text != NULL && (matches(ready, &process->out, text) ||
                                        matches(ready, &process->errors, text));
    free(text);
    return found;
}

static bool say_late(const struct service_process *process, char *text, size_t size)
{
    char line[300];
    const double limit_s = (double)process->settings->ready_timeout_ns / NS_PER_S;
    service_process_last_line(process, line, sizeof line);
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

bool service_ready_await(struct service_process *process, const struct ready *ready, char *text,
                         size_t size)
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

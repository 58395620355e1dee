// Waiting: for what meter, the loads, the service and the probe send, and for bash, whose lines are
// taken meanwhile.

#include "conduct.h"

#include "harness/stats/json.h"

#include "common/clock.h"
#include "common/memory.h"
#include "common/schemas.h"

#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// So long after the target, a load or meter has ended may it be known that jostle was to end.
static const int64_t end_ns = 300 * NS_PER_MS;

// A mark of the service takes as long as the kernel needs to list its processes; to open its
// buffers and to measure takes the probe fractions of a second.
static const int64_t service_mark_s = 60, probe_s = 10;

static void forget(struct source *source)
{
    free(source->event);
    source->event = NULL;
}

static void forget_all(struct conduct *conduct)
{
    for (size_t i = 0; i < conduct->sources.count; i++)
        forget(&conduct->sources.source[i]);
}

void await_event(struct source *source, const char *event)
{
    forget(source);
    source->event = must(strdup(event));
}

// Takes what bash has said, up to what ends the runs: what follows is for later.
static void take_commands(struct conduct *conduct, bool readable)
{
    struct lines *commands = &conduct->commands;
    size_t length;
    char *line;
    if (readable)
        (void)lines_read(commands);
    while (!conduct->making.is_over && (line = lines_next(commands, &length)) != NULL)
        conduct->making.is_over = !conduct->take(conduct, line) || conduct->making.is_over;
    if (commands->fd < 0)
        conduct->making.is_over = true;
}

bool wait_rest(struct conduct *conduct, int64_t length_ns)
{
    const int64_t until_ns = clock_ns() + length_ns;
    struct pollfd poll_of = {.events = POLLIN};
    take_commands(conduct, false);
    for (int64_t left_ns = length_ns; left_ns > 0 && !conduct->making.is_over;
         left_ns = until_ns - clock_ns()) {
        const struct timespec left = {left_ns / NS_PER_S, left_ns % NS_PER_S};
        poll_of.fd = conduct->commands.fd;
        if (ppoll(&poll_of, 1, &left, NULL) > 0)
            take_commands(conduct, true);
    }
    return !conduct->making.is_over;
}

bool wait_is_failure(struct conduct *conduct)
{
    return wait_rest(conduct, end_ns);
}

bool wait_order(struct conduct *conduct, const char *format, ...)
{
    OWNED char *line = NULL;
    va_list arguments;
    va_start(arguments, format);
    const bool made = vasprintf(&line, format, arguments) >= 0;
    va_end(arguments);
    conduct->making.owed = true;
    if (!made || !conduct_answer(conduct, "%s", line))
        conduct->making.is_over = true;
    take_commands(conduct, false);
    while (conduct->making.owed && !conduct->making.is_over)
        take_commands(conduct, true);
    return !conduct->making.is_over;
}

// A disk load on another device than the target's folder disturbs nothing. The
// device is the load's own finding; tmpfs and the like have none.
static void check_device(struct conduct *conduct, const struct source *source, const json_t *ready)
{
    const json_t *environment = json_object_get(conduct->experiment.json, "environment");
    const char *names[] = {"device", "file_system"};
    const char *its = NULL, *here = NULL;
    for (size_t i = 0; i < 2 && !source->node; i++) {
        const char *text = json_text_at(ready, names[i]);
        its = !its && text && *text ? text : its;
        text = json_text_at(environment, names[i]);
        here = !here && text && *text ? text : here;
    }
    if (!its || !here || strcmp(its, here) == 0)
        return;
    OWNED char *text = text_of("it is on %s, the target's folder on %s, so it may disturb nothing: "
                               "give the load --dir",
                               its, here);
    conduct_warn(conduct, source, text);
}

// The event that was awaited.
static void take_awaited(struct conduct *conduct, struct source *source, json_t *line)
{
    const char *event = source->event;
    if (strcmp(event, "up") == 0)
        conduct->service_died = conduct->making.death_said = false;
    if (strcmp(event, "ready") == 0)
        check_device(conduct, source, line);
    if (strcmp(event, "mark") == 0 || strcmp(event, "record") == 0 ||
        strcmp(event, "sample") == 0) {
        json_decref(source->last);
        source->last = json_incref(line);
    }
    forget(source);
}

// Takes one line that a source has sent. False: an error of its own, which *error says then, to be
// freed.
static bool take_line(struct conduct *conduct, struct source *source, json_t *line, char **error)
{
    const char *event = json_text_at(line, "event");
    const char *message = json_text_at(line, "message");
    if (!event)
        event = strcmp(json_text_or_empty(line, "schema"), SCHEMA_METER) == 0 ? "record" : "";
    const bool is_error = strcmp(event, "error") == 0;
    if (strcmp(event, "warning") == 0) {
        conduct_warn(conduct, source, message ? message : "no text");
    } else if (strcmp(event, "died") == 0) {
        conduct->service_died = true;
    } else if (is_error && source->optional) {
        forget(source);
        conduct_warn(conduct, NULL, message ? message : "no text");
    } else if (is_error) {
        *error = must(strdup(message ? message : ""));
    } else if (strcmp(event, source->event) == 0) {
        take_awaited(conduct, source, line);
    }
    return !is_error || source->optional;
}

// Takes all that a source has sent. False: it has failed, *error is why.
static bool take_lines(struct conduct *conduct, struct source *source, char **error)
{
    json_t *line;
    bool good = true;
    while (good && source->event && (line = source_next(source)) != NULL) {
        good = take_line(conduct, source, line, error);
        json_decref(line);
    }
    if (!good || !source->event || source->lines.fd >= 0)
        return good;
    if (!source->optional) {
        *error = must(strdup(""));
        return false;
    }
    forget(source);
    return true;
}

// What has come of what is awaited: ALL, OVER, or SILENT where some of it has not.
static enum waited take_sources(struct conduct *conduct)
{
    bool all = true;
    for (size_t i = 0; i < conduct->sources.count; i++) {
        struct source *source = &conduct->sources.source[i];
        OWNED char *error = NULL;
        if (source->event && !take_lines(conduct, source, &error)) {
            forget_all(conduct);
            if (wait_is_failure(conduct))
                (void)conduct_fail(conduct, source->id, error);
            return WAITED_OVER;
        }
        all = all && (!source->event || strcmp(source->event, "died") == 0);
    }
    return all ? WAITED_ALL : WAITED_SILENT;
}

enum waited wait_events(struct conduct *conduct, int64_t limit_ns)
{
    const int64_t until_ns = limit_ns < 0 ? INT64_MAX : clock_ns() + limit_ns;
    enum waited waited;
    bool readable = false;
    while (true) {
        take_commands(conduct, readable);
        waited = conduct->making.is_over ? WAITED_OVER : take_sources(conduct);
        if (waited == WAITED_SILENT && conduct->service_died && conduct->making.is_run &&
            !conduct->making.death_said)
            waited = WAITED_DIED;
        const int64_t left_ns = until_ns - (limit_ns < 0 ? 0 : clock_ns());
        if (waited != WAITED_SILENT || left_ns <= 0)
            break;
        if (!sources_wait(&conduct->sources, conduct->commands.fd, limit_ns < 0 ? -1 : left_ns,
                          &readable))
            conduct->making.is_over = true;
    }
    forget_all(conduct);
    return waited;
}

// How long the source may be silent; -1: for ever.
static int64_t limit_of(const struct conduct *conduct, const struct source *source,
                        const char *event)
{
    const struct request *request = conduct->request;
    const uint64_t load_s = strcmp(event, "ready") == 0 ? request->ready_s : request->steady_s;
    if (source->condition)
        return load_s > 0 ? (int64_t)load_s * NS_PER_S : -1;
    if (source->optional)
        return probe_s * NS_PER_S;
    return strcmp(event, "mark") == 0 ? service_mark_s * NS_PER_S : -1;
}

// Says that loads, or the service, have not answered.
static bool fail_silent(struct conduct *conduct, const char *names, const char *event,
                        int64_t limit_ns)
{
    const bool is_ready = strcmp(event, "ready") == 0;
    const bool is_mark = strcmp(event, "mark") == 0;
    OWNED char *text =
        *names
            ? text_of("load %s has not %s%s within %" PRId64 " s: try it alone with loadgen, "
                      "or allow it more with JOSTLE_LOAD_%s_S",
                      names, is_mark ? "answered" : "been ", is_mark ? "" : event,
                      limit_ns / NS_PER_S, is_ready ? "READY" : "STEADY")
            : text_of("the service's meter has been silent for %" PRId64 " s", limit_ns / NS_PER_S);
    return conduct_fail(conduct, "-", text) && false;
}

bool wait_answered(struct conduct *conduct, const char *event)
{
    OWNED char *names = must(strdup(""));
    int64_t limit_ns = -1;
    bool is_optional = false;
    for (size_t i = 0; i < conduct->sources.count; i++) {
        const struct source *source = &conduct->sources.source[i];
        if (!source->event)
            continue;
        limit_ns = limit_of(conduct, source, event);
        is_optional = source->optional;
        if (source->condition)
            names = text_joined(names, " or ", source->name);
    }
    const enum waited waited = wait_events(conduct, limit_ns);
    if (waited == WAITED_SILENT && !is_optional)
        return fail_silent(conduct, names, event, limit_ns);
    return waited != WAITED_OVER;
}

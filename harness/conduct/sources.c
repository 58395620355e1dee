// The pipes to and from meter, the loads, the service and the probe: lines in, orders out.

#include "sources.h"

#include "harness/stats/json.h"

#include "common/clock.h"
#include "common/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 16384 };

bool lines_read(struct lines *lines)
{
    if (lines->capacity - lines->length < CHUNK) {
        lines->capacity = 2 * lines->capacity + CHUNK;
        lines->text = must(realloc(lines->text, lines->capacity));
    }
    const ssize_t got = read(lines->fd, lines->text + lines->length, CHUNK);
    lines->length += got > 0 ? (size_t)got : 0;
    if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)))
        return true;
    close(lines->fd);
    lines->fd = -1;
    return false;
}

char *lines_next(struct lines *lines, size_t *length)
{
    lines->length -= lines->taken;
    if (lines->taken > 0)
        memmove(lines->text, lines->text + lines->taken, lines->length);
    lines->taken = 0;
    char *end = lines->length > 0 ? memchr(lines->text, '\n', lines->length) : NULL;
    if (!end)
        return NULL;
    *end = '\0';
    *length = (size_t)(end - lines->text);
    lines->taken = *length + 1;
    return lines->text;
}

void lines_free(struct lines *lines)
{
    if (lines->fd >= 0)
        close(lines->fd);
    free(lines->text);
    *lines = (struct lines){.fd = -1};
}

static char *copy(const char *text)
{
    return text && *text ? must(strdup(text)) : NULL;
}

bool sources_open(struct sources *sources, const struct source *source, const char *lines_path,
                  const char *orders_path)
{
    const size_t count = sources->count + 1;
    const int fd = open(lines_path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    // At both ends, so that it can be opened before the reader is there.
    const int orders_fd = fd < 0 ? -1 : open(orders_path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (orders_fd < 0) {
        const int error = errno;
        if (fd >= 0)
            (void)close(fd);
        errno = error;
        return false;
    }
    sources->source = must(reallocarray(sources->source, count, sizeof *sources->source));
    sources->poll = must(reallocarray(sources->poll, count + 1, sizeof *sources->poll));
    sources->source[sources->count++] = (struct source){.id = copy(source->id),
                                                        .name = copy(source->name),
                                                        .condition = copy(source->condition),
                                                        .node = copy(source->node),
                                                        .optional = source->optional,
                                                        .lines = {.fd = fd},
                                                        .orders_fd = orders_fd};
    return true;
}

void source_tell(const struct source *source, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (source->orders_fd >= 0)
        (void)vdprintf(source->orders_fd, format, arguments);
    va_end(arguments);
}

void source_close(struct source *source)
{
    if (source->orders_fd >= 0)
        (void)close(source->orders_fd);
    source->orders_fd = -1;
}

struct source *sources_find(struct sources *sources, const char *id)
{
    for (size_t i = 0; i < sources->count; i++)
        if (sources->source[i].id && strcmp(sources->source[i].id, id) == 0)
            return &sources->source[i];
    return NULL;
}

bool sources_wait(struct sources *sources, int other, int64_t limit_ns, bool *other_ready)
{
    const struct timespec limit = {limit_ns / NS_PER_S, limit_ns % NS_PER_S};
    if (!sources->poll)
        sources->poll = must(calloc(1, sizeof *sources->poll));
    sources->poll[0] = (struct pollfd){.fd = other, .events = POLLIN};
    for (size_t i = 0; i < sources->count; i++) {
        const struct source *source = &sources->source[i];
        sources->poll[i + 1] =
            (struct pollfd){.fd = source->event ? source->lines.fd : -1, .events = POLLIN};
    }
    *other_ready = false;
    if (ppoll(sources->poll, sources->count + 1, limit_ns < 0 ? NULL : &limit, NULL) < 0)
        return errno == EINTR;
    for (size_t i = 0; i < sources->count; i++)
        if (sources->poll[i + 1].revents != 0)
            (void)lines_read(&sources->source[i].lines);
    *other_ready = sources->poll[0].revents != 0;
    return true;
}

json_t *source_next(struct source *source)
{
    const char *text;
    size_t length;
    while ((text = lines_next(&source->lines, &length)) != NULL) {
        json_t *line = json_read_line(text, length);
        if (json_is_object(line))
            return line;
        json_decref(line);
    }
    return NULL;
}

void sources_free(struct sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        struct source *source = &sources->source[i];
        lines_free(&source->lines);
        source_close(source);
        json_decref(source->last);
        free(source->id);
        free(source->name);
        free(source->condition);
        free(source->node);
        free(source->event);
    }
    free(sources->source);
    free(sources->poll);
    *sources = (struct sources){0};
}

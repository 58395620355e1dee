#include "sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 16384 };

static char *copy(const char *text)
{
    return text && *text ? strdup(text) : NULL;
}

bool sources_open(struct sources *sources, const char *id, const char *name, const char *condition,
                  const char *node, const char *path)
{
    const size_t count = sources->count + 1;
    struct source *list = realloc(sources->source, count * sizeof *list);
    if (list)
        sources->source = list;
    struct pollfd *polled = list ? realloc(sources->poll, (count + 1) * sizeof *polled) : NULL;
    if (polled)
        sources->poll = polled;
    const int fd = polled ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    if (fd < 0)
        return false;
    list[sources->count++] = (struct source){.id = copy(id),
                                             .name = copy(name),
                                             .condition = copy(condition),
                                             .node = copy(node),
                                             .fd = fd};
    return true;
}

struct source *sources_find(struct sources *sources, const char *id)
{
    for (size_t i = 0; i < sources->count; i++)
        if (sources->source[i].id && strcmp(sources->source[i].id, id) == 0)
            return &sources->source[i];
    return NULL;
}

static bool reserve(struct source *source)
{
    if (source->capacity - source->length >= CHUNK)
        return true;
    const size_t capacity = 2 * source->capacity + CHUNK;
    char *text = realloc(source->text, capacity);
    if (!text)
        return false;
    source->text = text;
    source->capacity = capacity;
    return true;
}

// Reads what has come to an awaited source.
static void source_read(struct source *source)
{
    const ssize_t got =
        reserve(source) ? read(source->fd, source->text + source->length, CHUNK) : 0;
    if (got > 0) {
        source->length += (size_t)got;
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        close(source->fd);
        source->fd = -1;
    }
}

bool sources_wait(struct sources *sources, int other, bool *other_ready)
{
    if (!sources->poll && !(sources->poll = calloc(1, sizeof *sources->poll)))
        return false;
    sources->poll[0] = (struct pollfd){.fd = other, .events = POLLIN};
    for (size_t i = 0; i < sources->count; i++) {
        const struct source *source = &sources->source[i];
        sources->poll[i + 1] =
            (struct pollfd){.fd = source->event ? source->fd : -1, .events = POLLIN};
    }
    while (poll(sources->poll, sources->count + 1, -1) < 0)
        if (errno != EINTR)
            return false;
    for (size_t i = 0; i < sources->count; i++)
        if (sources->poll[i + 1].revents != 0)
            source_read(&sources->source[i]);
    *other_ready = sources->poll[0].revents != 0;
    return true;
}

json_t *source_next(struct source *source)
{
    char *end;
    while (source->length > 0 && (end = memchr(source->text, '\n', source->length)) != NULL) {
        const size_t size = (size_t)(end - source->text);
        json_t *line = json_loadb(source->text, size, 0, NULL);
        source->length -= size + 1;
        memmove(source->text, end + 1, source->length);
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
        if (source->fd >= 0)
            close(source->fd);
        json_decref(source->last);
        free(source->id);
        free(source->name);
        free(source->condition);
        free(source->node);
        free(source->text);
        free(source->event);
    }
    free(sources->source);
    free(sources->poll);
    *sources = (struct sources){0};
}

// Makes the texts of a report, and writes values of records into it as they are.
#include "write.h"

#include "common/text.h"

#include <stdarg.h>

const char *kept(struct arena *texts, const char *text)
{
    return text ? arena_keep(texts, strdup(text)) : NULL;
}

const char *said(struct arena *texts, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_vformat(texts, format, arguments);
    va_end(arguments);
    return text;
}

const char *joined(struct arena *texts, const char *text, const char *separator, const char *more)
{
    return !text || *text == '\0' ? more : said(texts, "%s%s%s", text, separator, more);
}

const char *shown(struct arena *texts, const char *text)
{
    const char *c = text ?: "";
    while (*c >= ' ' && *c < 0x7f)
        c++;
    return *c == '\0' ? text : arena_keep(texts, visible_copy(text));
}

int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int compare_texts(const char *a, const char *b)
{
    return strcmp(a ?: "", b ?: "");
}

// ---- values of records

const char *view_plain(struct arena *texts, const struct value *value)
{
    return view_string(value) ?: view_copy(texts, value);
}

const char *view_joined(struct arena *texts, const struct value *list, const char *between)
{
    const char *all = NULL;
    EACH_VALUE (item, list)
        all = joined(texts, all, between, view_plain(texts, item));
    return all;
}

const char *view_copy(struct arena *texts, const struct value *value)
{
    return !value ? "null" : arena_keep(texts, strndup(value->text, value->length));
}

void view_put(struct line *json, const char *name, const struct value *value)
{
    OWNED char *text = value ? must(strndup(value->text, value->length)) : NULL;
    line_raw(json, name, text ?: "null");
}

void view_put_members(struct line *json, const struct value *object, const char *const *names)
{
    for (; *names; names++)
        view_put(json, *names, view_get(object, *names));
}

bool line_object_if(struct line *json, const char *name, bool there)
{
    if (there)
        line_object(json, name);
    else
        line_null(json, name);
    return there;
}

char *json_text_end(struct line *json)
{
    while (json->depth > 0)
        line_close(json);
    must(json->failed ? NULL : json->text);
    return json->text;
}

void visible_put(struct line *json, const char *name, const char *text)
{
    struct arena texts = {0};
    line_text(json, name, shown(&texts, text));
    arena_free(&texts);
}

void visible_add(struct line *json, const char *text)
{
    if (text)
        visible_put(json, NULL, text);
}

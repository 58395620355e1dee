#include "settings.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/metric.h"
#include "common/options.h"
#include "common/record_json.h"
#include "common/text.h"
#include "harness/experiment/settings.h"
#include "harness/stats/objective.h"

enum { NS_PER_US = 1000, US_PER_S = 1000000 };

/* Refuses to measure, but measures nothing else. */
static const char strictness[] = "strict";

static const struct option_row *const tables[] = {settings_rows, slowdown_rows, NULL};

static const struct option_row *find(const char *name)
{
    const struct option_row *row = NULL;
    for (size_t i = 0; tables[i] != NULL && row == NULL; i++)
        row = option_find(tables[i], name);
    return row;
}

size_t setting_names(const char **names, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; tables[i] != NULL; i++)
        for (const struct option_row *row = tables[i]; row->name != NULL; row++)
            if (count + 1 < most)
                names[count++] = row->name;
    names[count] = NULL;
    return count;
}

bool setting_known(const char *name)
{
    return find(name) != NULL;
}

static char *flag_value(const char *text, char *error, size_t size)
{
    static const char *const yes[] = {"true", "yes", "on", "1", NULL};
    static const char *const no[] = {"false", "no", "off", "0", NULL};
    for (size_t i = 0; yes[i] != NULL; i++) {
        if (strcmp(text, yes[i]) == 0)
            return strdup("1");
        if (strcmp(text, no[i]) == 0)
            return strdup("");
    }
    snprintf(error, size, "give true or false");
    return NULL;
}

/* The text without line breaks, which separate the values of a list. */
static char *plain_text(const char *text)
{
    char *copy = must(strdup(text));
    for (char *c = copy; *c != '\0'; c++)
        if (*c == '\n')
            *c = ' ';
    return copy;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

char *setting_value(const char *name, const char *text, char *error, size_t size)
{
    // Not a number, which would be an exit code.
    static const char *const flag_words[] = {"true", "yes", "on", "false", "no", "off", NULL};
    const struct option_row *row = find(name);
    struct settings settings;
    if (row->type == OPTION_FLAG)
        return flag_value(text, error, size);
    if (row->bare && is_one_of(text, flag_words)) {
        // What the option means without a value, or "" for false.
        char *flag = flag_value(text, error, size);
        if (!flag || *flag == '\0')
            return flag;
        free(flag);
        return must(strdup(row->bare));
    }
    experiment_settings_begin(&settings);
    if (row->type == OPTION_LIST)
        return option_allows(row, text, error, size) ? plain_text(text) : NULL;
    if (!option_set(row, &settings, text, error, size))
        return NULL;
    const void *field = (const char *)&settings + row->offset;
    if (row->type == OPTION_TIME) {
        const int64_t us = *(const int64_t *)field / NS_PER_US;
        return text_of("%" PRIi64 ".%06" PRIi64, us / US_PER_S, us % US_PER_S);
    }
    if (row->type != OPTION_FRACTION)
        return plain_text(text);
    char *value = text_of("%.8f", *(const double *)field);
    for (size_t length = strlen(value); length > 0 && value[length - 1] == '0'; length--)
        value[length - 1] = '\0';
    return value;
}

bool setting_add(json_t *settings, const char *name, const char *value)
{
    const char *before = json_string_value(json_object_get(settings, name));
    json_t *whole = before && find(name)->type == OPTION_LIST
                        ? json_sprintf("%s\n%s", before, value)
                        : json_string(value);
    return json_object_set_new(settings, name, whole) == 0;
}

void settings_drop_false(json_t *settings)
{
    const char *name;
    json_t *value;
    void *next;
    json_object_foreach_safe(settings, next, name, value) if (json_string_length(value) == 0)
        json_object_del(settings, name);
}

/* Whether every record has all metrics of a --metric LIST, or of several, a line each. Those
 * of the program's output, and counters, are only in records of runs that looked for them. */
static bool always_measured(const char *list)
{
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",\n");
        bool known = length == strlen("all") && strncmp(at, "all", length) == 0;
        for (size_t i = 0; i < METRICS_ALWAYS && !known; i++)
            known = length == strlen(builtin_metrics[i].name) &&
                    strncmp(at, builtin_metrics[i].name, length) == 0;
        if (!known)
            return false;
        at += length;
        if (*at == '\0')
            return true;
    }
}

static bool is_limit(const char *name, const json_t *value)
{
    return is_one_of(name, limit_names) &&
           (strcmp(name, "metric") != 0 || always_measured(json_string_value(value)));
}

json_t *settings_limits(const json_t *settings)
{
    json_t *found = json_object(), *value;
    const char *name;
    json_object_foreach((json_t *)settings, name, value) if (is_limit(name, value))
        json_object_set(found, name, value);
    return found;
}

json_t *settings_fixed(const json_t *settings)
{
    // As it was called and written when campaigns were measured whose records are still there:
    // --conclude as --cleanup, and that all failures are ignored as a flag.
    static const char *const then[][2] = {{"cleanup", "cleanup-all"}, {"conclude", "cleanup"}};
    json_t *found = json_object(), *value;
    const char *name;
    json_object_foreach((json_t *)settings, name, value)
    {
        const char *key = name;
        if (is_limit(name, value) || strcmp(name, strictness) == 0)
            continue;
        for (size_t i = 0; i < sizeof then / sizeof *then; i++)
            if (strcmp(name, then[i][0]) == 0)
                key = then[i][1];
        const bool all = strcmp(name, "ignore-failure") == 0 &&
                         strcmp(json_string_value(value), "all-non-zero") == 0;
        json_object_set_new(found, key, all ? json_string("1") : json_incref(value));
    }
    return found;
}

/* The length of "{name}" at text, or 0. */
static size_t placeholder_length(const char *text)
{
    size_t length = 1;
    if (text[0] != '{' || !isalpha((unsigned char)text[1]))
        return 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '-')
        length++;
    return text[length] == '}' ? length + 1 : 0;
}

bool template_next(const char **text, struct piece *piece)
{
    const char *at = *text;
    if (*at == '\0')
        return false;
    const size_t length = placeholder_length(at);
    if (length > 0) {
        *piece = (struct piece){.placeholder = true, .text = at + 1, .length = length - 2};
        *text = at + length;
    } else if (*at == '{' || *at == '}') {
        *piece = (struct piece){.text = at, .length = 1};
        *text = at + (at[1] == *at ? 2 : 1);
    } else {
        *piece = (struct piece){.text = at, .length = strcspn(at, "{}")};
        *text = at + piece->length;
    }
    return true;
}

bool template_is_node(const struct piece *piece)
{
    size_t i = sizeof "node" - 1;
    if (piece->length <= i || strncmp(piece->text, "node", i) != 0)
        return false;
    while (i < piece->length && isdigit((unsigned char)piece->text[i]))
        i++;
    return i == piece->length;
}

char *template_fill(const char *text, const json_t *values, const json_t *builtin, enum fill fill)
{
    char *filled = NULL;
    size_t size;
    FILE *stream = must(open_memstream(&filled, &size));
    struct piece piece;
    while (template_next(&text, &piece)) {
        const json_t *value = piece.placeholder ? json_at(values, piece.text, piece.length) : NULL;
        if (piece.placeholder && !value)
            value = json_at(builtin, piece.text, piece.length);
        const char *put = json_string_value(value);
        OWNED char *quoted = put && fill == FILL_QUOTED ? must(words_quote(&put, 1)) : NULL;
        if (put)
            fputs(quoted ? quoted : put, stream);
        else
            fprintf(stream, piece.placeholder ? "{%.*s}" : "%.*s", (int)piece.length, piece.text);
    }
    return stream_text(stream, &filled);
}

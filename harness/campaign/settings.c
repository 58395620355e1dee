#include "settings.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/metric.h"
#include "common/option_value.h"
#include "common/options.h"
#include "common/record_json.h"
#include "common/words.h"
#include "harness/experiment/settings.h"
#include "harness/stats/objective.h"

enum { NS_PER_S = 1000000000, NS_PER_US = 1000 };

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

bool setting_is_list(const char *name)
{
    const struct option_row *row = find(name);
    return row != NULL && row->type == OPTION_LIST;
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

/* "0.05" */
static char *fraction_text(double fraction)
{
    char *text = NULL;
    if (asprintf(&text, "%.8f", fraction) < 0)
        return NULL;
    for (size_t length = strlen(text); length > 0 && text[length - 1] == '0'; length--)
        text[length - 1] = '\0';
    return text;
}

/* Seconds: "20.000000" */
static char *time_text(int64_t time_ns)
{
    char *text = NULL;
    const long long seconds = time_ns / NS_PER_S, rest_us = time_ns % NS_PER_S / NS_PER_US;
    return asprintf(&text, "%lld.%06lld", seconds, rest_us) < 0 ? NULL : text;
}

/* The text without line breaks, which separate the values of a list. */
static char *plain_text(const char *text)
{
    char *copy = strdup(text);
    for (char *c = copy; c != NULL && *c != '\0'; c++)
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

/* Not a number, which would be an exit code. */
static bool is_flag_word(const char *text)
{
    static const char *const words[] = {"true", "yes", "on", "false", "no", "off", NULL};
    return is_one_of(text, words);
}

/* Of an option that means something without a value: that, or "" for false. */
static char *bare_value(const struct option_row *row, const char *text)
{
    char ignored[64];
    char *flag = flag_value(text, ignored, sizeof ignored);
    if (flag == NULL || *flag == '\0')
        return flag;
    free(flag);
    return strdup(row->bare);
}

char *setting_value(const char *name, const char *text, char *error, size_t size)
{
    const struct option_row *row = find(name);
    struct settings settings;
    if (row->type == OPTION_FLAG)
        return flag_value(text, error, size);
    if (row->bare != NULL && is_flag_word(text))
        return bare_value(row, text);
    experiment_settings_begin(&settings);
    if (row->type == OPTION_LIST)
        return option_allows(row, text, error, size) ? plain_text(text) : NULL;
    if (!option_set(row, &settings, text, error, size))
        return NULL;
    const char *field = (const char *)&settings + row->offset;
    double fraction;
    int64_t time_ns;
    switch (row->type) {
    case OPTION_FRACTION:
        memcpy(&fraction, field, sizeof fraction);
        return fraction_text(fraction);
    case OPTION_TIME:
        memcpy(&time_ns, field, sizeof time_ns);
        return time_text(time_ns);
    default:
        return plain_text(text);
    }
}

bool setting_add(json_t *settings, const char *name, const char *value)
{
    const char *before = json_string_value(json_object_get(settings, name));
    json_t *whole = before != NULL && setting_is_list(name) ? json_sprintf("%s\n%s", before, value)
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

/* Puts a setting into what a key is of, as it was called and written when campaigns were
 * measured whose records are still there: --conclude as --cleanup, and that all failures are
 * ignored as a flag. */
static void add_to_key(json_t *settings, const char *name, json_t *value)
{
    const char *text = json_string_value(value);
    if (strcmp(name, "cleanup") == 0)
        name = "cleanup-all";
    else if (strcmp(name, "conclude") == 0)
        name = "cleanup";
    if (strcmp(name, "ignore-failure") == 0 && text != NULL && strcmp(text, "all-non-zero") == 0)
        json_object_set_new(settings, name, json_string("1"));
    else
        json_object_set(settings, name, value);
}

json_t *settings_fixed(const json_t *settings)
{
    json_t *found = json_object(), *value;
    const char *name;
    json_object_foreach((json_t *)settings, name,
                        value) if (!is_limit(name, value) && strcmp(name, strictness) != 0)
        add_to_key(found, name, value);
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

static bool put_value(FILE *stream, const char *value, bool quoted)
{
    if (!quoted)
        return fputs(value, stream) != EOF;
    const char *word = value;
    char *text = words_quote(&word, 1);
    const bool put = text != NULL && fputs(text, stream) != EOF;
    free(text);
    return put;
}

static bool put_piece(FILE *stream, const struct piece *piece, const json_t *values,
                      const json_t *builtin, enum fill fill)
{
    if (!piece->placeholder)
        return fwrite(piece->text, 1, piece->length, stream) == piece->length;
    const json_t *value = json_at(values, piece->text, piece->length);
    if (value == NULL)
        value = json_at(builtin, piece->text, piece->length);
    if (value == NULL)
        return fprintf(stream, "{%.*s}", (int)piece->length, piece->text) > 0;
    return put_value(stream, json_string_value(value), fill == FILL_QUOTED);
}

char *template_fill(const char *text, const json_t *values, const json_t *builtin, enum fill fill)
{
    char *filled = NULL;
    size_t size;
    FILE *stream = open_memstream(&filled, &size);
    struct piece piece;
    bool put = stream != NULL;
    while (put && template_next(&text, &piece))
        put = put_piece(stream, &piece, values, builtin, fill);
    if (stream != NULL && (fclose(stream) != 0 || !put)) {
        free(filled);
        return NULL;
    }
    return filled;
}

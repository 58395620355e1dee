// Settings of a campaign file: the value of an option in the form that plans and cells have.

#include "halves.h"

#include "common/memory.h"
#include "common/text.h"
#include "harness/experiment/settings.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NS_PER_US = 1000, US_PER_S = 1000000 };

// Refuses to measure, but measures nothing else.
static const char strictness[] = "strict";

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

// The text without line breaks, which separate the values of a list.
static char *plain_text(const char *text)
{
    char *copy = must(strdup(text));
    for (char *c = copy; *c != '\0'; c++)
        if (*c == '\n')
            *c = ' ';
    return copy;
}

char *setting_value(const char *name, const char *text, char *error, size_t size)
{
    const struct option_row *row = setting_find(name);
    struct settings settings;
    if (row->type == OPTION_FLAG)
        return flag_value(text, error, size);
    // What the option means without a value, or "" for false; a number would be an exit code.
    char *flag = row->bare && !isdigit((unsigned char)*text) ? flag_value(text, error, size) : NULL;
    if (flag && *flag == '\0')
        return flag;
    if (flag) {
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
    json_t *whole = before && setting_find(name)->type == OPTION_LIST
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
        if (setting_is_limit(name, json_string_value(value)) || strcmp(name, strictness) == 0)
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

/* The text that a set of options is known by. */

#include "common/option_value.h"
#include "common/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 4096

/* Any one value, to read a preset into. */
union value {
    uint64_t count;
    int64_t integer;
    double real;
    bool flag;
    int choice;
    const char *text;
    struct option_list list;
};

/* The preset in the same form as a value; a row without one has zeros. */
static bool format_preset(const struct option_row *row, char *text, size_t size)
{
    struct option_row alone = *row;
    union value value;
    char error[256];
    memset(&value, 0, sizeof value);
    alone.offset = 0;
    if (row->preset != NULL && !option_set(&alone, &value, row->preset, error, sizeof error))
        return false;
    return option_format(&alone, &value, text, size);
}

/* " --name 'value'", or " --name" of a flag, behind what is there. */
static bool append(char *text, size_t size, const struct option_row *row, const char *value)
{
    const char *words[] = {value};
    char *quoted = row->argument == NULL ? strdup("") : words_quote(words, 1);
    const size_t used = strlen(text);
    bool fits = quoted != NULL;
    if (fits)
        fits = (size_t)snprintf(text + used, size - used, "%s--%s%s%s", used > 0 ? " " : "",
                                row->name, *quoted != '\0' ? " " : "", quoted) < size - used;
    free(quoted);
    return fits;
}

static bool append_list(char *text, size_t size, const struct option_row *row, const void *values)
{
    const struct option_list *list = (const void *)((const char *)values + row->offset);
    for (size_t i = 0; i < list->count; i++)
        if (!append(text, size, row, list->item[i]))
            return false;
    return true;
}

static bool append_value(char *text, size_t size, const struct option_row *row, const void *values,
                         bool preset_too)
{
    char value[LONGEST], preset[LONGEST];
    if (row->type == OPTION_LIST)
        return append_list(text, size, row, values);
    if (!option_format(row, values, value, sizeof value) ||
        !format_preset(row, preset, sizeof preset))
        return false;
    return (strcmp(value, preset) == 0 && !preset_too) || append(text, size, row, value);
}

static bool write_rows(const struct option_row *rows, const void *values, bool measured_only,
                       char *text, size_t size)
{
    if (size == 0)
        return false;
    *text = '\0';
    for (; rows->name != NULL; rows++)
        if ((rows->measured || !measured_only) &&
            !append_value(text, size, rows, values, measured_only && rows->type == OPTION_CHOICE))
            return false;
    return true;
}

bool options_canonical(const struct option_row *rows, const void *values, char *text, size_t size)
{
    return write_rows(rows, values, false, text, size);
}

bool options_measured(const struct option_row *rows, const void *values, char *text, size_t size)
{
    return write_rows(rows, values, true, text, size);
}

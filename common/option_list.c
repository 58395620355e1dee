/* The options of a program as lines, for the test that walks them. */

#include "common/options.h"

#include <stdio.h>

/* What a value has to be. */
static const char *name_type(const struct option_row *row)
{
    static const char *const names[] = {
        [OPTION_FLAG] = "flag",     [OPTION_COUNT] = "count",       [OPTION_INTEGER] = "integer",
        [OPTION_REAL] = "real",     [OPTION_FRACTION] = "fraction", [OPTION_PERCENT] = "percent",
        [OPTION_SIZE] = "size",     [OPTION_TIME] = "time",         [OPTION_CPUS] = "cpus",
        [OPTION_RATE] = "rate",     [OPTION_TEXT] = "text",         [OPTION_LIST] = "list",
        [OPTION_CHOICE] = "choice",
    };
    return names[row->as == OPTION_FLAG ? row->type : row->as];
}

/* One mark, behind those that are there. */
static void put_mark(bool there, const char *mark, unsigned *count)
{
    if (there)
        printf("%s%s", (*count)++ == 0 ? "" : ",", mark);
}

static void put_marks(const struct option_row *row)
{
    char words[32];
    unsigned count = 0;
    snprintf(words, sizeof words, "words=%u", row->more);
    put_mark(row->exclusive, "exclusive", &count);
    put_mark(row->hidden, "hidden", &count);
    put_mark(row->instead != NULL, "elsewhere", &count);
    put_mark(row->bare != NULL, "bare", &count);
    put_mark(row->repeats, "repeats", &count);
    put_mark(row->may_be_empty, "may-be-empty", &count);
    put_mark(row->more > 0, words, &count);
    put_mark(row->check != NULL, "checked", &count);
    if (count == 0)
        putchar('-');
}

static void put_values(const struct option_row *row)
{
    if (row->choices == NULL) {
        fputs(row->wrong == NULL ? "-" : row->wrong, stdout);
        return;
    }
    for (size_t i = 0; row->choices[i] != NULL; i++)
        printf("%s%s", i == 0 ? "" : ",", row->choices[i]);
}

static void put_row(const struct option_row *row)
{
    printf("option\t%s\t%c\t%s\t%s\t", row->name, row->letter == 0 ? '-' : row->letter,
           name_type(row), row->argument == NULL ? "-" : row->argument);
    if (row->minimum < row->maximum)
        printf("%.17g\t%.17g\t", row->minimum, row->maximum);
    else
        fputs("-\t-\t", stdout);
    put_marks(row);
    printf("\t%s\t", row->preset == NULL || *row->preset == '\0' ? "-" : row->preset);
    put_values(row);
    putchar('\n');
}

bool options_list_command(const char *name)
{
    return printf("command\t%s\n", name) > 0 && fflush(stdout) == 0;
}

bool options_list(const struct program *program)
{
    printf("program\t%s\n", program->name);
    for (size_t i = 0; i < program->group_count; i++)
        for (const struct option_row *row = program->groups[i].rows; row->name != NULL; row++)
            put_row(row);
    return fflush(stdout) == 0 && ferror(stdout) == 0;
}

#include "table.h"

#include "common/messages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COUNT 999999999
#define PREFIX     "jostle "

/* Returns the memory, if there is any. */
static void *checked(void *memory)
{
    if (memory != NULL)
        return memory;
    complain("out of memory while reading options: free some");
    exit(EXIT_FAILURE);
}

static void *allocate(size_t count, size_t size)
{
    return checked(calloc(count + 1, size));
}

/* Of the kind "first,newest": a text that is one of these. */
static void set_choices(struct option_row *row, char *kind)
{
    size_t count = 0;
    const char **names = allocate(strlen(kind) / 2 + 1, sizeof *names);
    while (kind != NULL)
        names[count++] = strsep(&kind, ",");
    row->type = OPTION_TEXT;
    row->as = OPTION_CHOICE;
    row->choices = names;
}

static void set_kind(struct option_row *row, const char *kind)
{
    static const struct {
        const char *name;
        enum option_type type, as;
        double minimum, maximum;
    } kinds[] = {
        {.name = "flag", .type = OPTION_FLAG},
        {.name = "text", .type = OPTION_TEXT},
        {.name = "list", .type = OPTION_LIST},
        {.name = "count", .type = OPTION_COUNT, .minimum = 1, .maximum = MOST_COUNT},
        {.name = "time", .type = OPTION_TIME, .minimum = 1, .maximum = OPTION_TIME_MOST},
        {.name = "size", .type = OPTION_TEXT, .as = OPTION_SIZE, .minimum = 1, .maximum = 9e18},
    };
    size_t i = 0;
    while (i < sizeof kinds / sizeof kinds[0] && strcmp(kinds[i].name, kind) != 0)
        i++;
    if (i == sizeof kinds / sizeof kinds[0])
        usage_error("arguments: --%s: %s is no kind of option: see harness/lib/options.bash",
                    row->name, kind);
    row->type = kinds[i].type;
    row->as = kinds[i].as;
    row->minimum = kinds[i].minimum;
    row->maximum = kinds[i].maximum;
}

/* Cuts "NAME|ARGUMENT|KIND|DEFAULT|HELP" into a row; the default is bash's. */
static void read_row(struct option_row *row, char *text, size_t offset)
{
    char *argument;
    char *kind;
    row->name = strsep(&text, "|");
    argument = strsep(&text, "|");
    kind = strsep(&text, "|");
    strsep(&text, "|");
    if (text == NULL)
        usage_error("arguments: %s: not a row of five fields: see harness/lib/options.bash",
                    row->name);
    row->argument = argument[0] == '\0' ? NULL : argument;
    row->help = text;
    row->offset = offset;
    if (strchr(kind, ',') != NULL)
        set_choices(row, kind);
    else
        set_kind(row, kind);
    if (strncmp(argument, "[=", 2) == 0 && row->choices != NULL) {
        row->argument = argument + 2;
        argument[strcspn(argument, "]")] = '\0';
        row->bare = row->choices[0];
    }
}

void table_open(struct table *table, const char *command, char **texts, size_t count)
{
    *table = (struct table){.rows = allocate(count, sizeof *table->rows),
                            .values = allocate(count, sizeof *table->values),
                            .texts = allocate(count, sizeof *table->texts),
                            .name = allocate(strlen(command) + sizeof PREFIX, 1)};
    stpcpy(stpcpy(table->name, PREFIX), command);
    for (size_t i = 0; i < count; i++) {
        if (strncmp(texts[i], "help|", 5) == 0) /* every program has that one */
            continue;
        table->texts[table->count] = checked(strdup(texts[i]));
        read_row(&table->rows[table->count], table->texts[table->count],
                 table->count * sizeof *table->values);
        table->count++;
    }
    table->group = (struct option_group){.rows = table->rows, .values = table->values};
    table->program = (struct program){.name = table->name,
                                      .usage = "[ARGUMENT...]",
                                      .intro = "",
                                      .groups = &table->group,
                                      .group_count = 1,
                                      .stop_at_operand = true};
}

void table_close(struct table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        free(table->texts[i]);
        free((void *)table->rows[i].choices);
    }
    free(table->texts);
    free(table->rows);
    free(table->values);
    free(table->name);
}

bool table_wants_help(const struct table *table, int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (argv[i][0] != '-' && table->program.stop_at_operand)
            break;
        if (argv[i][0] != '-')
            continue;
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "--help-all") == 0 ||
            strcmp(argv[i], "-h") == 0)
            return true;
        const struct option_row *row = option_find(table->rows, argv[i] + strspn(argv[i], "-"));
        i += row != NULL && row->argument != NULL; /* its value */
    }
    return false;
}

static void print_value(const struct option_row *row, const union value *value)
{
    switch (row->type) {
    case OPTION_FLAG:
        fputs(value->flag ? "1" : "", stdout);
        break;
    case OPTION_COUNT:
        printf("%" PRIu64, value->count);
        break;
    case OPTION_TIME:
        printf("%.6f", (double)value->time_ns / 1e9);
        break;
    case OPTION_LIST:
        for (size_t i = 0; i < value->list.count; i++)
            printf("%s\n", value->list.item[i]);
        break;
    default:
        fputs(value->text, stdout);
        break;
    }
    putchar('\0');
}

bool table_print(const struct table *table, const struct options *options)
{
    for (size_t i = 0; i < table->count; i++) {
        if (!options_given(options, table->rows[i].name))
            continue;
        if (table->rows[i].type == OPTION_LIST)
            putchar('+');
        fputs(table->rows[i].name, stdout);
        putchar('\0');
        print_value(&table->rows[i], &table->values[i]);
    }
    return ferror(stdout) == 0;
}

#ifndef ARGUMENTS_TABLE_H
#define ARGUMENTS_TABLE_H

/* An options table that a command in bash has as texts: "NAME|ARGUMENT|KIND|DEFAULT|
 * HELP". Kinds: flag, text, count (from 1), time (above 0), size, list, or A,B,... to choose
 * from. */

#include "common/options.h"

union value {
    bool flag;
    uint64_t count;
    int64_t time_ns;
    const char *text;
    struct option_list list;
};

struct table {
    struct program program;
    struct option_group group;
    struct option_row *rows;
    union value *values;
    char **texts; /* the rows' own, cut into fields */
    size_t count;
    char *name;
};

/* `command` is the word after jostle. Running out of memory, and a row that is none,
 * end the program. */
void table_open(struct table *table, const char *command, char **texts, size_t count);
void table_close(struct table *table);
/* Whether --help is among the options: the command in bash answers it. argv[0] is no
 * argument. */
bool table_wants_help(const struct table *table, int argc, char **argv);
/* Writes name and value, each ended by NUL, of each option that was given: flags 1,
 * times in seconds; of a list "+NAME", and a line for each item.
 * False: it could not be written. */
bool table_print(const struct table *table, const struct options *options);

#endif

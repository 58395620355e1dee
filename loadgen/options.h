#ifndef LOADGEN_OPTIONS_H
#define LOADGEN_OPTIONS_H

/* One table for each load drives parsing, range checks, defaults and --help. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum setting_type {
    SETTING_FLAG,    /* bool */
    SETTING_COUNT,   /* uint64_t */
    SETTING_INTEGER, /* int64_t, may be negative */
    SETTING_REAL,    /* double */
    SETTING_SIZE,    /* uint64_t bytes; see units_size() */
    SETTING_TIME,    /* int64_t ns */
    SETTING_PERCENT, /* double */
    SETTING_TEXT,    /* const char * */
    SETTING_CHOICE,  /* int: index into choices */
};

struct setting {
    const char *name;     /* without --; NULL ends the table */
    const char *argument; /* "SIZE"; NULL for flags */
    enum setting_type type;
    size_t offset;              /* of the field in the struct that is filled */
    double minimum, maximum;    /* of numbers, in their base unit (bytes, ns); equal: no check */
    const char *preset;         /* default as it would be typed; NULL: none, the field stays 0 */
    const char *const *choices; /* of SETTING_CHOICE, ended by NULL */
    const char *help;
};

struct load;
struct run;

/* Parses `loadgen LOAD ...` (argv[0] is shown as the program) into run->common,
 * run->settings and run->arguments; wrong use ends the program with exit 2. */
void options_parse(struct run *run, int argc, char **argv);
/* Whether an option stood on the command line. */
bool options_given(const struct run *run, const char *name);
void options_free(struct run *run);

/* The nearest of count names (at a stride, for tables), or NULL if none is near. */
const char *nearest_name(const char *word, const char *const *names);

/* "jostle: ..." on stderr; the text says what was wrong and what to do. */
void usage_error(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

// One table for each program (or load) drives parsing, range checks, defaults,
// --help, the settings of a campaign, and the text that a set of options is
// known by.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_type {
    OPTION_FLAG,     // bool
    OPTION_COUNT,    // uint64_t
    OPTION_INTEGER,  // int64_t, may be negative
    OPTION_REAL,     // double
    OPTION_FRACTION, // double: 0.05 or 5%
    OPTION_PERCENT,  // double: 50 or 50%
    OPTION_SIZE,     // uint64_t bytes; see units_size()
    OPTION_TIME,     // int64_t ns; see units_time()
    OPTION_RATE,     // only `as`: see units_rate(); bounds are of the number before % or unit
    OPTION_CPUS,     // const char *, checked to be a list of CPUs
    OPTION_TEXT,     // const char *
    OPTION_LIST,     // struct option_list: each use of the option adds one
    OPTION_CHOICE,   // int: index into choices
};

#define OPTION_TIME_MOST  3.15e18            // ns: a century, about what 64 bits hold
#define OPTION_WHOLE_MOST 9007199254740992.0 // 2^53: whole numbers in JSON are exact up to it
#define OPTION_SEED_MOST                                                                           \
    1000000007.0 // of a seed, in every command: a prime, so that no pattern of the clock stays

// What an experiment becomes when it is continued with another value of a setting.
enum option_change {
    CHANGES_EXPERIMENT, // another one
    CHANGES_LIMIT,      // the same: it says when to stop, and runs are added in the same order
    CHANGES_NOTHING,    // the same: it measures nothing
};

// Of an integer without a preset.
#define OPTION_NOT_GIVEN INT64_MIN

struct option_list {
    size_t count;
    const char **item;
    struct list_block *block; // where list_add has room for more; NULL: nowhere
};

struct arena;
// Appends texts to a list, which is ended by a NULL then, too; a copy of the list stays as it is.
// The time is that of the texts added, however long the list is.
void list_add(struct option_list *list, struct arena *arena, const char *text);
void list_add_all(struct option_list *list, struct arena *arena, const char *const *more,
                  size_t count);

// Room for any one value.
union option_value {
    bool flag;
    uint64_t count;
    int64_t integer;
    double real;
    int choice;
    const char *text;
    struct option_list list;
};

// A row begins with what each has, and has the rest as designated fields:
// {OPTION_ROW(struct settings, "threads", "N", OPTION_COUNT, threads), .minimum = 1, ...}. A
// nameless row, {0}, ends a table.
struct option_row {
    const char *name;     // without --
    const char *argument; // "SIZE"; NULL for flags
    enum option_type type;
    size_t offset;              // of the field in the struct that is filled
    double minimum, maximum;    // of numbers, in their base unit (bytes, ns); every row has them
    enum option_type as;        // of OPTION_TEXT: kept as it is typed, but has to be one of these
    const char *preset;         // default as it would be typed; NULL: the field stays 0
    const char *const *choices; // of OPTION_CHOICE, ended by NULL
    const char *help;           // the default is added to it
    char letter;                // of a short form, or 0
    bool exclusive;             // minimum and maximum themselves are refused
    bool hidden;                // not in --help
    const char *usual;          // a sentence; where some rows have one, --help shows these rows
                                // with it alone, and --help-all shows all
    bool measured;              // loadgen: a calibration is of this value
    const char *endless;        // of OPTION_TIME: this word is accepted, too, and means 0
    const char *bare;           // what the option means without a value, which then needs =
    unsigned more;              // words that follow the value on a command line, unless it has a
                                // =; they are joined to it: "VAR=MIN..MAX"
    bool repeats;               // may be given again, and the last one counts; a list collects
    const char *again;          // what to do rather than give it twice
    bool may_be_empty;          // of texts: "" is a value
    enum option_change change;  // of a setting of an experiment
    bool apart;                 // of a setting: options_to_json() leaves it out
    // A check of a text's own; NULL: none. False, and error says what to give.
    bool (*check)(const char *text, char *error, size_t size);
    const char *wrong; // what check() refuses: bats-tests/options.bats tries it
};

// Name, argument (NULL: a flag), type and the member of the struct that is filled.
#define OPTION_ROW(struct_type, title, word, kind, member)                                         \
    .name = (title), .argument = (word), .type = (kind), .offset = offsetof(struct_type, member)

// The member of the values.
static inline void *option_field(const struct option_row *row, const void *values)
{
    return (void *)((uintptr_t)values + row->offset);
}

struct option_group {
    const struct option_row *rows;
    void *values;      // the struct that the rows fill
    const char *title; // above the rows in --help; NULL: none
};

struct program {
    const char *name;    // "loadgen cpu"
    const char *usage;   // what follows the options: "-- TARGET..."; NULL: nothing may
    const char *intro;   // above the options in --help
    const char *details; // below them; NULL: nothing. Where --help is short, it has what begins
                         // with "Example" of it
    const struct option_group *groups;
    size_t group_count;
    bool stop_at_operand; // what follows the first operand is not ours to parse
    // Who has options that this one refuses, and which; NULL: nobody.
    const char *other;
    const struct option_row *other_rows;
};

// Which options were given. After options_parse() it needs the groups' values, but
// neither the program nor its tables.
struct options;

// Fills the groups' values: presets first, then argv. --help (-h), --help-all, --version and
// --list-options are answered on stdout and end the program with 0; wrong use ends it
// with one line and exit 2. *rest: index of the first operand in argv, which may be
// reordered; argc when there is none. Texts stay argv's.
struct options *options_parse(const struct program *program, int argc, char **argv, int *rest);
// Whether an option was on the command line.
bool options_given(const struct options *options, const char *name);
// The options that were given, without those of some names (ended by NULL), each as one word that
// gives it again: "--max-runs=30". Words and list are the arena's.
struct option_list options_words(const struct options *options, const char *const *without,
                                 struct arena *arena);
// Frees also what lists hold.
void options_free(struct options *options);

// What --list-options prints, for programs and tests: a line `program NAME`, and one for each
// row: `option NAME LETTER TYPE ARGUMENT MINIMUM MAXIMUM MARKS PRESET VALUES`, fields separated
// by tabs, - where there is none. Bounds are in base units (bytes, ns). MARKS are joined by
// commas: exclusive, hidden, bare, repeats, may-be-empty, words=N
// (`more`), checked. VALUES are the choices, or of a text with a check `wrong`. False: stdout
// cannot be written.
bool options_list(const struct program *program);
// And what a program prints that takes a command first: a line `command NAME` for each, whose own
// options NAME --list-options then prints.
bool options_list_command(const char *name);

// Only the presets, for values that come from elsewhere (a campaign file).
void options_presets(const struct option_row *rows, void *values);
// One value from elsewhere. text is kept by rows of text; NULL or "" sets a flag, and
// stands for what is bare.
// False: error is a reason such as "not a size: give one such as 64KiB".
bool option_set(const struct option_row *row, void *values, const char *text, char *error,
                size_t size);
// NULL: no such row.
const struct option_row *option_find(const struct option_row *rows, const char *name);

// Writes the values that differ from their presets, in the table's order, as a
// command line would have them: "--kernel triad --threads 2". Two sets of values
// are equal when their texts are. options_measured() takes the rows with .measured
// only, and of these choices always. False: it does not fit.
bool options_canonical(const struct option_row *rows, const void *values, char *text, size_t size);
bool options_measured(const struct option_row *rows, const void *values, char *text, size_t size);

// One value of an options table, from text and to text.

// The value as it would be typed, exact; false: it does not fit.
bool option_format(const struct option_row *row, const void *values, char *text, size_t size);

// What is asked of a value whatever its type: that it is not empty, and the row's own check.
// option_set() asks the same; this is for texts that are kept elsewhere.
bool option_allows(const struct option_row *row, const char *text, char *error, size_t size);

// A row's check of NAME=VALUE: there is a name.
bool option_check_assignment(const char *text, char *error, size_t size);
// A row's check of N[:M], numbers of cores for the target and for the loads.
bool option_check_cores(const char *text, char *error, size_t size);

// Short rows for tables of options that fill one struct. Whoever includes this says first which:
//
//     #define OPTIONS_OF struct request

#ifdef OPTIONS_OF
#define ROW(name, argument, type, member) OPTION_ROW(OPTIONS_OF, name, argument, type, member)
#define FLAG(name, member, words)                                                                  \
    {                                                                                              \
        ROW(name, NULL, OPTION_FLAG, member), .help = words                                        \
    }
#define TEXT(name, argument, member, words)                                                        \
    {                                                                                              \
        ROW(name, argument, OPTION_TEXT, member), .help = words                                    \
    }
// What the shell calls.
#define HIDDEN(name, argument, member, words)                                                      \
    {                                                                                              \
        ROW(name, argument, OPTION_TEXT, member), .hidden = true, .help = words                    \
    }
#endif

#endif

#ifndef EXPERIMENT_PARAMETERS_H
#define EXPERIMENT_PARAMETERS_H

#include "arena.h"
#include "common/options.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* --parameter-list and --parameter-scan: what {NAME} stands for in a command line, in every
 * combination. */

struct parameter {
    const char *name;
    const char **value;
    size_t count;
};

struct parameters {
    struct parameter *parameter;
    size_t count;
    size_t combinations; /* 1 without parameters */
};

/* Checks of an option: "VAR=A,B,C", "VAR=MIN..MAX" or "VAR=MIN..MAX..STEP", a step. */
bool parameters_check_list(const char *text, char *error, size_t size);
bool parameters_check_scan(const char *text, char *error, size_t size);
bool parameters_check_step(const char *text, char *error, size_t size);

/* Reads what the three options say; no step is NULL. Steps of decimals are exact: 0.3 0.5 0.7,
 * not 0.7000000000000001. Wrong use ends the program. */
void parameters_read(struct parameters *parameters, struct arena *arena,
                     const struct option_list *lists, const struct option_list *scans,
                     const char *step);
/* The value that a parameter has in a combination; the first parameter changes fastest. */
const char *parameters_value(const struct parameters *parameters, size_t combination,
                             size_t parameter);
/* The text with the value of each parameter in the place of its {NAME}. Other braces stay. */
const char *parameters_fill(const struct parameters *parameters, struct arena *arena,
                            size_t combination, const char *text);
/* "threads=2,size=big"; "" without parameters. */
const char *parameters_name(const struct parameters *parameters, struct arena *arena,
                            size_t combination);
/* {NAME: VALUE}. A new reference. */
json_t *parameters_to_json(const struct parameters *parameters, size_t combination);

/* Which shell runs the target: --shell, or sh where only a shell understands a command. */

#define SHELL_NONE    "none"
#define SHELL_DEFAULT "default"

/* The words in front of a command that a shell is to run: "sh" "-c". */
struct shell {
    const char *name;   /* as it is recorded; NULL: no shell */
    const char **words; /* its own */
    size_t word_count;
};

/* Reads the text of --shell: "none", "default" (sh), or a command line. Wrong use ends the
 * program. */
struct shell shell_read(struct arena *arena, const char *text);
/* Whether it is a known shell, which may have options, or "none", or "default". */
bool shell_is_name(const char *word);

#endif

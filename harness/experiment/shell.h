#ifndef EXPERIMENT_SHELL_H
#define EXPERIMENT_SHELL_H

/* Which shell runs the target: --shell, or sh where only a shell understands a command. */

#include "arena.h"

#include <stdbool.h>
#include <stddef.h>

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

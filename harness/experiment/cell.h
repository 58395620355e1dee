#ifndef EXPERIMENT_CELL_H
#define EXPERIMENT_CELL_H

/* The cell of a campaign: a file (jostle.cell/1) that gives command, loads and
 * settings. What is on the command line, too, is taken from there. */

#include "arena.h"
#include "settings.h"

#include "common/options.h"

#include <jansson.h>

/* Reads a cell; wrong use ends the program when it is none. */
json_t *cell_read(const char *file);
/* Sets the settings of the cell that are not on the command line. */
void cell_apply(const json_t *cell, struct arena *arena, struct settings *settings,
                const struct options *given);
/* The cell's command; NULL: it has none. Its texts stay the cell's. */
const char **cell_command(const json_t *cell, struct arena *arena, size_t *count);
/* The cell's loads, each as --load has it. */
struct option_list cell_loads(const json_t *cell, struct arena *arena);

#endif

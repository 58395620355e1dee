/* The command line of `copies`, which a pack measures. */
#ifndef PACK_LAUNCHER_H
#define PACK_LAUNCHER_H

#include <jansson.h>
#include <stddef.h>

/* The words that run so many copies of the plan's programs (0: each program alone, one after the
 * other), with the launcher itself in front. */

/* Quoted for a shell, to be freed. */
char *launcher_command(const json_t *plan, size_t copies);
/* Each ended by NUL, on stdout. */
void launcher_print(const json_t *plan, size_t copies);

#endif

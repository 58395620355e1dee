#ifndef PROBE_PROGRAM_H
#define PROBE_PROGRAM_H

/* Whether the sensitivity of a program, as --for names it, holds here. */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* path: a jostle.program/1, a result.json, or the folder of one; place: of the probe;
 * environment: as environment_to_json() gives it, NULL: the machine is not to be compared.
 * False: why says what does not fit, and what to do, on one line without the path. */
bool program_fits(const char *path, const char *place, const json_t *environment, char *why,
                  size_t size);

#endif

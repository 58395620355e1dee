#ifndef EXPERIMENT_VARIABLES_H
#define EXPERIMENT_VARIABLES_H

/* The environment variables that move figures without being on the command line. */

#include <jansson.h>

/* {NAME: VALUE} of those that are set and in the table of variables.c, by name. A new
 * reference. */
json_t *variables_to_json(void);

#endif

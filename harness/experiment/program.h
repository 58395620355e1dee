#ifndef EXPERIMENT_PROGRAM_H
#define EXPERIMENT_PROGRAM_H

/* Which file the target's command starts, so that two results of one command line show
 * whether they are of one program. */

#include <jansson.h>

/* {path, sha256, size_bytes, mtime, reason} of the file that `command` names, found in
 * PATH as the shell would: a script is its own file, `sh -c` is the shell. What is not
 * known is null, and `reason` says why. A new reference. */
json_t *program_to_json(const char *command);

#endif

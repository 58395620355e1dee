#ifndef EXPERIMENT_PROGRAM_H
#define EXPERIMENT_PROGRAM_H

/* Which file the target's command starts, so that two results of one command line show
 * whether they are of one program. */

#include <jansson.h>
#include <stdint.h>
#include <sys/stat.h>

/* More takes longer to read than anybody wants to wait for the first run: at 0.5 to 2 GB/s this
 * is 0.1 to 0.5 s; a usual program of 1 MiB takes 1 ms. */
#define PROGRAM_MOST_BYTES (INT64_C(256) << 20)

/* {path, sha256, size_bytes, mtime, mtime_ns, reason} of the file that `command` names, found in
 * PATH as the shell would: a script is its own file, `sh -c` is the shell. What is not
 * known is null, and `reason` says why. A new reference. */
json_t *program_to_json(const char *command);

/* The same of the file at that path. A larger one than *budget is not read, and what is read
 * is taken off. */
json_t *file_to_json(const char *path, int64_t *budget);

/* When it was last changed, since 1970. */
int64_t file_mtime_ns(const struct stat *status);

#endif

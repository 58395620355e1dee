#ifndef EXPERIMENT_CONTAINER_H
#define EXPERIMENT_CONTAINER_H

/* Containers and jobs as they are: --account says whose control group is counted where the target
 * is only a client of it, --in that the target runs in a container of its own. */

#include "arena.h"

#include <stdbool.h>
#include <stddef.h>

/* cgroup:PATH, podman:NAME, docker:NAME or job; for struct option_row. */
bool account_check(const char *text, char *error, size_t size);

/* The folders of the group now: of version 2 one, of version 1 those of cpuacct and memory. How
 * many; where there is none, wrong use ends the program. */
size_t account_folders(struct arena *arena, const char *text, const char *folders[2]);

/* podman:IMAGE or docker:IMAGE; for struct option_row. */
bool container_check(const char *text, char *error, size_t size);

/* The words that run the target's words in a container of that image (podman:IMAGE); *count of
 * them. */
const char **container_words(struct arena *arena, const char *where, const char *const *words,
                             size_t *count);

/* A load "podman IMAGE: COMMAND": its command, with engine and image. NULL, as both are: it is
 * none. */
const char *container_load(struct arena *arena, const char *text, const char **engine,
                           const char **image);
/* What runs a command in a container: ENGINE IMAGE COMMAND... follow it (lib/in-container). */
const char *container_program(struct arena *arena);

#endif

#ifndef EXPERIMENT_ADAPTERS_H
#define EXPERIMENT_ADAPTERS_H

/* Adapters: what the figures of a known program look like in its output, so that nobody
 * has to write regular expressions for sysbench again. Each is a file of text in
 * harness/adapters, named after the program; harness/adapters/README.md has its syntax. */

#include <stdbool.h>
#include <stddef.h>

/* The definitions (NAME=SOURCE[,OPTION...]) that `@NAME` or `@NAME:METRIC,METRIC` stands
 * for; a NAME with a slash is the path of a file. Without METRICs these are the adapter's
 * default ones. Its helpers (metrics with a role=) always come with them. Returns the
 * definitions, ended by NULL, in one block to be freed; NULL with a reason in error, such
 * as "no adapter has this name (did you mean sysbench?): jostle adapters lists them". */
char **adapter_definitions(const char *text, char *error, size_t size);

/* The name of the adapter in `@NAME:METRIC,METRIC`; of a path, its last part. */
void adapter_name(const char *text, char *name, size_t size);

/* Prints every adapter's name and what it is for; with a name, that adapter's file, or
 * ends the program with 2. False: stdout cannot be written to. */
bool adapters_print(const char *name);

#endif

// Writing a JSON object to a file so that no reader ever sees half of it (common/save.h).
#ifndef STATS_OUTPUT_H
#define STATS_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// Writes `object` as one line: to `stream` if path is "-", else to the file that the user named.
// False after a message on stderr.
bool output_json(const json_t *object, const char *path, FILE *stream);

// Writes `object` indented, as a record of a folder of ours: a link at `path` is replaced, not
// followed. False after a message on stderr.
bool output_document(const json_t *object, const char *path);

// The same, to a file that the user named: a link is followed. False after a message on stderr.
bool output_named(const json_t *object, const char *path);

#endif

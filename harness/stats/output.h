// Writing a JSON object to a file so that no reader ever sees half of it.
#ifndef STATS_OUTPUT_H
#define STATS_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// Writes `object` as one line: to `stream` if path is "-", else to a temporary
// file next to `path` that is then renamed. False after a message on stderr.
bool output_json(const json_t *object, const char *path, FILE *stream);

// Writes `object` indented, to a temporary file next to `path` that is synced and
// then renamed: a link at `path` is replaced, not followed. False after a message
// on stderr.
bool output_document(const json_t *object, const char *path);

#endif

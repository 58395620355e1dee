#ifndef STATS_JSON_H
#define STATS_JSON_H

#include "interval.h"

#include "common/record_json.h"
#include "common/save.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// A new reference to [low, high] of an interval; to null without variation, and where a bound is
// not known.
json_t *json_interval(const struct interval *interval);

// Puts its center under that name, and its bounds as "ci".
void json_put_interval(json_t *object, const char *name, const struct interval *interval);

// The entry of a list of ratios (slowdowns, comparisons) for that condition and metric; NULL.
json_t *json_ratio_of(const json_t *list, const char *condition, const char *metric);

// Appends a value (a new reference is made), unless the array has an equal one: then false.
bool json_add_once(json_t *array, json_t *value);

// Adds the members of `more`, which is freed; those that are there already keep their place.
void json_extend(json_t *object, json_t *more);

// Whether FOLDER/NAME is a record of that schema that can be read.
bool record_is_there(const char *folder, const char *name, const char *schema);

// Writes an object in that form, with a newline behind it, and flushes the stream. False with
// errno.
bool json_print(const json_t *object, FILE *stream, size_t format);

// The same to a file so that no reader ever sees half of it (common/save.h). False with errno.
bool json_save(const json_t *object, const char *path, size_t format, enum save_kind kind);

// Writes `object` as one line: to `stream` if path is "-", else to the file that the user named.
// False after a message on stderr.
bool output_json(const json_t *object, const char *path, FILE *stream);

// Writes `object` indented, as a record of a folder of ours: a link at `path` is replaced, not
// followed. False after a message on stderr.
bool output_document(const json_t *object, const char *path);

// The same, to a file that the user named: a link is followed. False after a message on stderr.
bool output_named(const json_t *object, const char *path);

// Whether two texts are the same, of which each may be missing (NULL).
bool json_same_text(const char *a, const char *b);

#endif

// A JSON text as values that point into it.
#ifndef RECORD_VIEW_H
#define RECORD_VIEW_H

#include "common/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Reports read hundreds of megabytes
// of records and copy most figures as they are: no value is converted before
// somebody wants it, and a number's digits stay those of the record.

enum view_type {
    VIEW_NULL,
    VIEW_FALSE,
    VIEW_TRUE,
    VIEW_NUMBER,
    VIEW_STRING,
    VIEW_ARRAY,
    VIEW_OBJECT
};

enum { VIEW_DEEPEST = 64 }; // values within values: no record has more than ten

struct value {
    const char *key;    // in an object: its name, without quotes and escapes
    const char *text;   // with quotes and brackets
    const char *string; // what a string says, without quotes and escapes; else NULL
    uint32_t length;
    uint32_t size; // itself and all values in it: the next sibling is at + size
    enum view_type type;
};

struct view {
    struct value *item; // the first is the whole
    size_t count, allocated;
    char *text; // without blanks between values, and what its strings say
    size_t size;
};

// Parses a copy of text; what the view held before is forgotten. Bytes that are not UTF-8 are
// replaced in it, so that slices of it can be copied as they are. NULL: not one JSON value, or too
// deep a one.
const struct value *view_parse(struct view *view, const char *text, size_t length);
void view_free(struct view *view);

// NULL is passed on: a member of a missing object is missing.
const struct value *view_get(const struct value *object, const char *key);
const struct value *view_path(const struct value *object, const char *first, const char *second);
bool view_is(const struct value *value, enum view_type type);
bool view_equals(const struct value *value, const char *text);
// Whether a member is that text, is true, is a text.
bool view_matches(const struct value *object, const char *key, const char *text);
bool view_holds(const struct value *object, const char *key);
bool view_has_text(const struct value *object, const char *key);
// Both are there, and written alike.
bool view_same(const struct value *a, const struct value *b);
// The entry of a list with this value of a member; NULL: none.
const struct value *view_entry(const struct value *list, const char *key, const char *text);
// Not a number, or larger than one can be: otherwise.
double view_number(const struct value *value, double otherwise);
// A member that is a number; NAN: it is none.
double view_real(const struct value *object, const char *key);
// Reads what is counted: a fraction is cut off, and no count is below 0 or has more than 32
// bits.
uint32_t view_count(const struct value *value, uint32_t otherwise);
// What a string says, and a member that is one; NULL: it is none.
const char *view_string(const struct value *value);
const char *view_text(const struct value *object, const char *key);
// Whether a list has that text.
bool view_lists(const struct value *list, const char *text);
// Steps through the values of an array or object, false behind the last one:
//     for (const struct value *item = NULL; view_each(list, &item);)
bool view_each(const struct value *container, const struct value **item);
// Steps through a list as the head of a loop.
#define EACH_VALUE(item, list)                                                                     \
    for (const struct value *item##_of = (list), *item = NULL; view_each(item##_of, &item);)
const struct value *view_first(const struct value *container);
const struct value *view_next(const struct value *container, const struct value *item);

#endif

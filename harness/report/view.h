#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include "common/json.h"
#include "common/memory.h"

// What all of the room needs.
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- texts

// Texts that are made of records live as long as what they are made of, in an arena.

// As printf makes it.
const char *said(struct arena *texts, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// A copy.
const char *kept(struct arena *texts, const char *text); // NULL stays NULL
// "a, b": more behind text; text NULL or "": more alone.
const char *joined(struct arena *texts, const char *text, const char *separator, const char *more);
// Text of users for people: what would move the cursor, ring a bell, hide or
// turn text around becomes visible, such as \n, \e or \u{202e}. NULL stays NULL.
const char *shown(struct arena *texts, const char *text);
// Compares two texts, as qsort() wants it, and two that may be NULL.
int by_text(const void *a, const void *b);
int compare_texts(const char *a, const char *b);

// ---- records

// A JSON text as values that point into it. Reports read hundreds of megabytes
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
// The same of what is counted: a fraction is cut off, and no count is below 0 or has more than 32
// bits.
uint32_t view_count(const struct value *value, uint32_t otherwise);
// The member "confidence" of a record's settings: above 0 and below 1; else the default, 0.95.
double view_confidence(const struct value *settings);
// What a string says, and a member that is one; NULL: it is none.
const char *view_string(const struct value *value);
const char *view_text(const struct value *object, const char *key);
// A text as it is, anything else as JSON; "null" for NULL.
const char *view_plain(struct arena *texts, const struct value *value);
// "a, b" of a list, with that between; NULL: it has nothing.
const char *view_joined(struct arena *texts, const struct value *list, const char *between);
// Whether a list has that text.
bool view_lists(const struct value *list, const char *text);
// The value's JSON; "null" for NULL.
const char *view_copy(struct arena *texts, const struct value *value);

// A member that is a value of a record as it is; null where there is none.
void view_put(struct line *json, const char *name, const struct value *value);
// The same of an object's members of these names, which end with NULL.
void view_put_members(struct line *json, const struct value *object, const char *const *names);
// The statement behind it is within an array, or object, of that name.
#define LINE_ARRAY(json, name)                LINE_WITHIN(line_array, json, name, __LINE__)
#define LINE_OBJECT(json, name)               LINE_WITHIN(line_object, json, name, __LINE__)
#define LINE_WITHIN(open, json, name, number) LINE_ONCE(open, json, name, number)
#define LINE_ONCE(open, json, name, number)                                                        \
    for (bool within_##number = (open(json, name), true); within_##number;                         \
         line_close(json), within_##number = false)
// Opens a member that is an object. False: there is none, and it is null.
bool line_object_if(struct line *json, const char *name, bool there);
// Closes what is open; the text, to be freed.
char *json_text_end(struct line *json);

// Steps through the values of an array or object, false behind the last one:
//     for (const struct value *item = NULL; view_each(list, &item);)
bool view_each(const struct value *container, const struct value **item);
// The same as the head of a loop.
#define EACH_VALUE(item, list)                                                                     \
    for (const struct value *item##_of = (list), *item = NULL; view_each(item##_of, &item);)
const struct value *view_first(const struct value *container);
const struct value *view_next(const struct value *container, const struct value *item);

// A member that is shown() to people; null for NULL.
void visible_put(struct line *json, const char *name, const char *text);
// The same in an open array, where NULL is no element of it.
void visible_add(struct line *json, const char *text);

#endif

// Texts of a report, and how they and values of records are written into one.
#ifndef REPORT_WRITE_H
#define REPORT_WRITE_H

#include "harness/record/view.h"

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

// ---- values of records

// A text as it is, anything else as JSON; "null" for NULL.
const char *view_plain(struct arena *texts, const struct value *value);
// "a, b" of a list, with that between; NULL: it has nothing.
const char *view_joined(struct arena *texts, const struct value *list, const char *between);
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

// A member that is shown() to people; null for NULL.
void visible_put(struct line *json, const char *name, const char *text);
// The same in an open array, where NULL is no element of it.
void visible_add(struct line *json, const char *text);

#endif

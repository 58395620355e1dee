// A record's members as rows of a table, by which a struct is filled and checked.
#ifndef RECORD_FIELD_H
#define RECORD_FIELD_H

#include "node.h"

#include <stddef.h>

enum field_type {
    FIELD_REAL,  // double: a number; NAN where it is none
    FIELD_TEXT,  // const char *: the record's; NULL where it is none
    FIELD_NOTE,  // the same of what only has to be there: "?" where it is no text
    FIELD_FLAG,  // bool: it is true
    FIELD_THERE, // bool: it is there, and not null
    FIELD_NULL,  // bool: it is null
    FIELD_ITEMS, // size_t: how many elements the list has
};

struct field {
    const char *in;   // the member of the record that is an object with it; NULL: the record itself
    const char *name; // as it is in the record
    enum field_type type;
    size_t offset;
    const char *unit;    // of a number that has one
    bool required;       // without it there is no such record
    const char *meaning; // what the name does not say
};

// Fills a struct by a table, which ends with a row without a name. The row of a required member
// that is missing, or of another type; NULL: all are there.
const struct field *fields_read(const struct field *fields, struct node record, void *to);

#endif

#ifndef COMMON_RECORD_H
#define COMMON_RECORD_H

// A record as a table: which member of a struct is which member of a JSON object. The table writes
// the object, reads it, and is its JSON Schema (results/schema).
//
//     static const struct field noise_fields[] = {
//         FIELD_OF(struct noise, "sd", sd, FIELD_FIGURE, .about = "of log(wall time)"),
//         FIELD_OF(struct noise, "halves.n", n, FIELD_COUNT, .required = true),
//         {0}};
//
// A point in a key is an object within the object: the two members above are
// {"sd": 0.1, "halves": {"n": 12}}.

#include "common/record_json.h"

#include <stdbool.h>
#include <stddef.h>

enum field_kind {
    FIELD_TEXT,    // char[size]; "": null
    FIELD_STRING,  // char *; NULL: null. What is read is a copy, to be freed
    FIELD_NUMBER,  // double, as it was given; not finite: null
    FIELD_FIGURE,  // double that was computed, with FIGURE_DIGITS; not finite: null
    FIELD_COUNT,   // size_t
    FIELD_INTEGER, // int64_t
    FIELD_SECONDS, // int64_t ns, in seconds
    FIELD_FLAG,    // bool
    FIELD_CHOICE,  // int: index into names
    FIELD_BOUNDS,  // two doubles, the second at `other`: [low, high]; null where one is not finite
    FIELD_OBJECT,  // a struct, by fields of its own
    FIELD_LIST,    // count structs of `size` bytes in an array of the struct: see FIELD_LIST_OF
    FIELD_JSON,    // json_t *, as it is: a reference of the struct's own; NULL: null
    FIELD_SCHEMA,  // no member of the struct: the name of the record, `about`
};

struct field {
    const char *key; // NULL ends a table
    enum field_kind kind;
    size_t offset, size;        // of the member; of FIELD_LIST the size of one struct
    size_t other;               // offset of the second of FIELD_BOUNDS, of the size_t of FIELD_LIST
    size_t most;                // of FIELD_LIST: as many have room
    const struct field *fields; // of FIELD_OBJECT and FIELD_LIST
    const char *const *names;   // of FIELD_CHOICE, ended by NULL
    bool required;              // what lacks it is no such record
    bool left_out;              // where it is null (0 of a count, false) it is not written
    double above, from, to;     // bounds in the schema: exclusive, inclusive; 0: none
    const char *about;          // in the schema
};

#define FIELD_OF(type, name, member, what, ...)                                                    \
    {                                                                                              \
        .key = (name), .kind = (what), .offset = offsetof(type, member),                           \
        .size = sizeof(((type *)NULL)->member), __VA_ARGS__                                        \
    }
#define FIELD_BOUNDS_OF(type, name, low, high, ...)                                                \
    FIELD_OF(type, name, low, FIELD_BOUNDS, .other = offsetof(type, high), __VA_ARGS__)
// An array within the struct, and the member that has how many there are.
#define FIELD_LIST_OF(type, name, member, count, table, ...)                                       \
    {                                                                                              \
        .key = (name), .kind = FIELD_LIST, .offset = offsetof(type, member),                       \
        .size = sizeof(((type *)NULL)->member[0]), .other = offsetof(type, count),                 \
        .most = sizeof(((type *)NULL)->member) / sizeof(((type *)NULL)->member[0]),                \
        .fields = (table), __VA_ARGS__                                                             \
    }

// A new object; memory that runs out ends the program.
json_t *record_to_json(const struct field *fields, const void *from);

// Fills the struct. What is not there, null or of another type is NAN, 0, false, "" or NULL. NULL:
// all is read. Else the key of the first member that makes it no such record: one that is required
// and is not there, a list longer than there is room, a choice that has no such name.
const char *record_from_json(const struct field *fields, void *to, const json_t *object);

// Frees what FIELD_STRING and FIELD_JSON hold, and sets it to NULL.
void record_free(const struct field *fields, void *values);

#endif

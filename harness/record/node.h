// A value of a record, whichever of the two parsers has read it.
#ifndef RECORD_NODE_H
#define RECORD_NODE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct value; // view.h

// Programs that write records as well have them as jansson's values (json_t), reports as views of
// the text (view.h). What reads both takes a node: one of the two is not NULL, or it is missing.
struct node {
    const json_t *json;
    const struct value *view;
};

static inline struct node node_of_json(const json_t *json)
{
    return (struct node){.json = json};
}

static inline struct node node_of_view(const struct value *view)
{
    return (struct node){.view = view};
}

// A member of an object; missing where it is not there, and of what is no object.
struct node node_get(struct node object, const char *name);
// It is there, and not null; it is null, true, a number, a text.
bool node_is_there(struct node node);
bool node_is_null(struct node node);
bool node_is_true(struct node node);
bool node_is_number(struct node node);
// NAN and NULL where it is of another type. A text is the record's.
double node_number(struct node node);
const char *node_text(struct node node);
// How many elements a list has; 0 where it is none.
size_t node_size(struct node list);

// Steps through a list: false behind the last one.
//     for (struct node_each each = {.list = list}; node_step(&each);)
struct node_each {
    struct node list, at;
    size_t next;
};
bool node_step(struct node_each *each);

#endif

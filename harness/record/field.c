// Fills a struct from a record by a table of its members.
#include "field.h"

#include "view.h"

#include <string.h>

// Puts a value where the field has it; false: it is not there, or of another type.
static bool put(const struct field *field, struct node node, void *at)
{
    switch (field->type) {
    case FIELD_REAL:
        *(double *)at = node_number(node);
        return node_is_number(node);
    case FIELD_TEXT:
        *(const char **)at = node_text(node);
        return node_text(node);
    case FIELD_NOTE:
        *(const char **)at = node_text(node) ?: node_is_there(node) ? "?" : NULL;
        return node_is_there(node);
    case FIELD_FLAG:
        *(bool *)at = node_is_true(node);
        return node_is_true(node);
    case FIELD_THERE:
        *(bool *)at = node_is_there(node);
        return node_is_there(node);
    case FIELD_NULL:
        *(bool *)at = node_is_null(node);
        return node_is_null(node);
    default:
        *(size_t *)at = node_size(node);
        return node_is_there(node);
    }
}

// A member of an object. Of a view it is looked for behind *last first, which was the one before.
static struct node member(struct node object, const char *name, const struct value **last)
{
    if (!view_is(object.view, VIEW_OBJECT))
        return node_get(object, name);
    const struct value *begin = object.view + 1, *end = object.view + object.view->size;
    const struct value *from = *last ? *last + (*last)->size : begin;
    for (const struct value *item = from; item < end; item += item->size)
        if (item->key[0] == name[0] && strcmp(item->key, name) == 0)
            return node_of_view(*last = item);
    for (const struct value *item = begin; item < from; item += item->size)
        if (item->key[0] == name[0] && strcmp(item->key, name) == 0)
            return node_of_view(*last = item);
    return node_of_view(NULL);
}

const struct field *fields_read(const struct field *fields, struct node record, void *to)
{
    const struct field *missing = NULL;
    const struct value *last = NULL, *last_object = NULL;
    const char *in = NULL;
    struct node object = record;
    for (const struct field *field = fields; field->name; field++) {
        // Rows of one object are together: it is looked for once.
        if (field->in != in && (!field->in || !in || strcmp(field->in, in) != 0)) {
            object = field->in ? member(record, field->in, &last_object) : record;
            last = NULL;
        }
        in = field->in;
        const struct node node = member(object, field->name, &last);
        if (!put(field, node, (char *)to + field->offset) && field->required && !missing)
            missing = field;
    }
    return missing;
}

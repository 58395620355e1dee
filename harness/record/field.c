// Fills a struct from a record by a table of its members.
#include "field.h"

#include <math.h>
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

const struct field *fields_read(const struct field *fields, struct node record, void *to)
{
    const struct field *missing = NULL;
    const char *in = NULL;
    struct node object = record;
    for (const struct field *field = fields; field->name; field++) {
        // Rows of one object are together: it is looked for once.
        if (field->in != in && (!field->in || !in || strcmp(field->in, in) != 0))
            object = field->in ? node_get(record, field->in) : record;
        in = field->in;
        if (!put(field, node_get(object, field->name), (char *)to + field->offset) &&
            field->required && !missing)
            missing = field;
    }
    return missing;
}

// Reads a value of a record from either of the two parsers.
#include "node.h"

#include "view.h"

#include <math.h>

struct node node_get(struct node object, const char *name)
{
    return object.json ? node_of_json(json_object_get(object.json, name))
                       : node_of_view(view_get(object.view, name));
}

bool node_is_there(struct node node)
{
    return (node.json || node.view) && !node_is_null(node);
}

bool node_is_null(struct node node)
{
    return json_is_null(node.json) || view_is(node.view, VIEW_NULL);
}

bool node_is_true(struct node node)
{
    return json_is_true(node.json) || view_is(node.view, VIEW_TRUE);
}

bool node_is_number(struct node node)
{
    return json_is_number(node.json) || view_is(node.view, VIEW_NUMBER);
}

double node_number(struct node node)
{
    if (!node.json)
        return view_number(node.view, NAN);
    return json_is_number(node.json) ? json_number_value(node.json) : NAN;
}

const char *node_text(struct node node)
{
    return node.json ? json_string_value(node.json) : view_string(node.view);
}

size_t node_size(struct node list)
{
    size_t count = 0;
    if (list.json)
        return json_array_size(list.json);
    EACH_VALUE (item, view_is(list.view, VIEW_ARRAY) ? list.view : NULL)
        count++;
    return count;
}

bool node_step(struct node_each *each)
{
    if (each->list.json) {
        each->at = node_of_json(json_array_get(each->list.json, each->next++));
        return each->at.json;
    }
    return view_is(each->list.view, VIEW_ARRAY) && view_each(each->list.view, &each->at.view);
}

#include "order.h"

#include "collect.h"

#include <string.h>

int order_of_entries(const void *a, const void *b)
{
    const struct report_line *x = a, *y = b;
    const char *keys[][2] = {
        {x->target, y->target},
        {x->label, y->label},
        {x->of_campaign ? "-" : x->experiment, y->of_campaign ? "-" : y->experiment},
        {x->load, y->load},
        {x->level, y->level},
        {x->experiment, y->experiment},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const int order = strverscmp(keys[i][0], keys[i][1]);
        if (order != 0)
            return order;
    }
    return strcmp(x->name, y->name);
}

#include "pair.h"

#include <stddef.h>
#include <stdio.h>

void pair_put(const char *name, const char *value)
{
    if (!value)
        return;
    fputs(name, stdout);
    putchar('\0');
    fputs(value, stdout);
    putchar('\0');
}

void pair_put_flag(const char *name, bool given)
{
    pair_put(name, given ? "true" : NULL);
}

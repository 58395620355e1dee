#include "visible.h"

#include "common/memory.h"
#include "common/text.h"

#include <stdlib.h>
#include <string.h>

char *visible(const char *text)
{
    return must(visible_copy(text));
}

void visible_put(struct line *json, const char *name, const char *text)
{
    char *plain = text == NULL ? NULL : visible(text);
    line_text(json, name, plain);
    free(plain);
}

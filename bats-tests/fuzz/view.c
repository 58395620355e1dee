/* JSON as the report reads it, without converting anything; compared with jansson. */
#include "frame/fuzz.h"

#include "harness/report/write.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

const enum fuzz_input fuzz_input = FUZZ_JSON_LINES;

/* Every value can be copied and converted; returns how many there are. */
static size_t visit(const struct value *value)
{
    size_t count = 1;
    struct arena texts = {0};
    const char *copy = view_copy(&texts, value), *text = view_string(value);
    fuzz_require(copy != NULL && (text != NULL) == view_is(value, VIEW_STRING));
    (void)view_number(value, 0);
    (void)view_get(value, "a");
    arena_free(&texts);
    for (const struct value *item = view_first(value); item != NULL; item = view_next(value, item))
        count += visit(item);
    return count;
}

/* How many values one is within, at most: jansson takes more. */
static unsigned depth_of(const json_t *value)
{
    unsigned deepest = 0, depth;
    const char *key;
    json_t *item;
    size_t i;
    json_array_foreach(value, i, item)
    {
        depth = 1 + depth_of(item);
        deepest = depth > deepest ? depth : deepest;
    }
    json_object_foreach((json_t *)value, key, item)
    {
        depth = 1 + depth_of(item);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct view view = {0};
    const struct value *top = view_parse(&view, (const char *)data, size);
    if (top != NULL)
        fuzz_require(visit(top) == view.count);
    /* jansson takes a 0 behind a number, which is no JSON; and it has no room for some numbers. */
    json_error_t error;
    json_t *other =
        json_loadb(view.text, strlen(view.text), JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
    fuzz_require(other == NULL || top != NULL || memchr(data, '\0', size) != NULL ||
                 depth_of(other) > VIEW_DEEPEST);
    fuzz_require(other != NULL || top == NULL ||
                 json_error_code(&error) == json_error_numeric_overflow);
    json_decref(other);
    view_free(&view);
    return 0;
}

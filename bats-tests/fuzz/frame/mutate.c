#include "mutate.h"

#include "common/random.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- bytes ---- */

/* What parsers of texts trip over. */
static const char *const words[] = {"-",
                                    "-1",
                                    "0",
                                    "1e999",
                                    "nan",
                                    "inf",
                                    "18446744073709551616",
                                    "9223372036854775807",
                                    "\n",
                                    "\r",
                                    "\t",
                                    " ",
                                    "=",
                                    ",",
                                    "\"",
                                    "'",
                                    "\\",
                                    "{",
                                    "}",
                                    "[",
                                    "]",
                                    "{}",
                                    "[]",
                                    "null",
                                    "%",
                                    "%s",
                                    "\x7f",
                                    "\xff",
                                    "é",
                                    "\x1b",
                                    "KiB",
                                    "1.5.2",
                                    "0-9",
                                    "9-0",
                                    "$(x)",
                                    "../",
                                    "#",
                                    ":",
                                    "e",
                                    "."};

static size_t put(uint8_t *data, size_t size, size_t most, size_t at, const char *word)
{
    const size_t length = strlen(word);
    if (size + length > most)
        return size;
    memmove(data + at + length, data + at, size - at);
    memcpy(data + at, word, length);
    return size + length;
}

static size_t cut(uint8_t *data, size_t size, size_t from, size_t length)
{
    memmove(data + from, data + from + length, size - from - length);
    return size - length;
}

/* A piece of the input once more, somewhere else. */
static size_t repeat(uint8_t *data, size_t size, size_t most, uint64_t *random)
{
    uint8_t piece[64];
    const size_t from = random_below(random, size), at = random_below(random, size);
    size_t length = 1 + random_below(random, sizeof piece);
    length = length < size - from ? length : size - from;
    if (size + length > most)
        return size;
    memcpy(piece, data + from, length);
    memmove(data + at + length, data + at, size - at);
    memcpy(data + at, piece, length);
    return size + length;
}

static size_t mutate_once(uint8_t *data, size_t size, size_t most, uint64_t *random)
{
    const size_t at = random_below(random, size + 1);
    if (size == 0 || random_below(random, 3) == 0)
        return put(data, size, most, at, words[random_below(random, sizeof words / sizeof *words)]);
    const size_t one = random_below(random, size), left = size - one;
    switch (random_below(random, 4)) {
    case 0:
        data[one] ^= (uint8_t)(1U << random_below(random, 8));
        return size;
    case 1:
        data[one] = (uint8_t)random_below(random, 256);
        return size;
    case 2:
        return cut(data, size, one, 1 + random_below(random, left < 16 ? left : 16));
    default:
        return repeat(data, size, most, random);
    }
}

size_t mutate_bytes(uint8_t *data, size_t size, size_t most, uint64_t *random)
{
    for (uint64_t times = 1 + random_below(random, 4); times > 0; times--)
        size = mutate_once(data, size, most, random);
    return size;
}

/* ---- JSON ---- */

/* Walks over a value, which is number 0, and all below it. */
struct walk {
    size_t number;  /* of the next value */
    size_t wanted;  /* which value is looked for */
    json_t *parent; /* of that, and where in it */
    const char *key;
    size_t index;
};

static void visit(struct walk *walk, json_t *value, json_t *parent, const char *key, size_t index)
{
    const char *name;
    json_t *one;
    size_t i;
    if (walk->number++ == walk->wanted) {
        walk->parent = parent;
        walk->key = key;
        walk->index = index;
    }
    json_object_foreach(value, name, one)
    {
        visit(walk, one, value, name, 0);
    }
    json_array_foreach(value, i, one)
    {
        visit(walk, one, value, NULL, i);
    }
}

static json_t *odd_number(uint64_t *random)
{
    static const double reals[] = {0, -0.0, -1, 0.5, 1e-300, 1e300, -1e300, 1e18, 4294967296.0};
    static const json_int_t integers[] = {
        0, 1, 2, -1, 64, 65, 1000, 65536, 1 << 20, INT64_MAX, INT64_MIN, 1000001, UINT32_MAX};
    if (random_below(random, 2) == 0)
        return json_real(reals[random_below(random, sizeof reals / sizeof *reals)]);
    return json_integer(integers[random_below(random, sizeof integers / sizeof *integers)]);
}

static json_t *odd_text(uint64_t *random)
{
    static const char *const texts[] = {"",     "x",     "0",   "null",    "a\nb", "\x1b[2J",
                                        "é",    "..",    "a/b", "%s%s%n",  "a,b",  "a@b",
                                        "-1",   "1e999", "p99", "cpu_s<1", "a=1",  "wall_s",
                                        "mean", "high",  "low", "auto",    "\"",   "<b>"};
    if (random_below(random, 8) > 0)
        return json_string(texts[random_below(random, sizeof texts / sizeof *texts)]);
    char longest[5000];
    const size_t length = random_below(random, sizeof longest);
    memset(longest, 'x', length);
    return json_stringn(longest, length);
}

/* Something else than what was there. */
static json_t *odd_value(uint64_t *random)
{
    switch (random_below(random, 8)) {
    case 0:
        return json_null();
    case 1:
        return json_boolean(random_below(random, 2) == 0);
    case 2:
        return json_array();
    case 3:
        return json_object();
    case 4:
    case 5:
        return odd_text(random);
    default:
        return odd_number(random);
    }
}

/* The value that a number has in a walk. */
static json_t *value_at(json_t *top, size_t number, struct walk *found)
{
    *found = (struct walk){.wanted = number};
    visit(found, top, NULL, NULL, 0);
    if (found->parent == NULL)
        return top;
    return found->key != NULL ? json_object_get(found->parent, found->key)
                              : json_array_get(found->parent, found->index);
}

/* Takes over the value. */
static void set_at(const struct walk *found, json_t *value)
{
    if (found->key != NULL)
        (void)json_object_set_new(found->parent, found->key, value);
    else
        (void)json_array_set_new(found->parent, found->index, value);
}

/* Lists are what parsers have limits for. */
static void lengthen(json_t *array, uint64_t *random)
{
    const size_t size = json_array_size(array);
    if (size == 0)
        return;
    for (uint64_t more = 1 + random_below(random, 80); more > 0; more--)
        (void)json_array_append_new(
            array, json_deep_copy(json_array_get(array, random_below(random, size))));
}

static void mutate_value(json_t *top, uint64_t *random)
{
    struct walk found, other;
    (void)value_at(top, SIZE_MAX, &found);
    const size_t count = found.number;
    if (count < 2)
        return;
    json_t *value = value_at(top, 1 + random_below(random, count - 1), &found);
    switch (random_below(random, 6)) {
    case 0:
        if (found.key != NULL)
            (void)json_object_del(found.parent, found.key);
        else
            (void)json_array_remove(found.parent, found.index);
        break;
    case 1:
        if (json_is_array(value)) {
            lengthen(value, random);
            break;
        }
        /* fall through */
    case 2: /* a value from elsewhere in the same record */
        set_at(&found, json_deep_copy(value_at(top, random_below(random, count), &other)));
        break;
    default:
        set_at(&found, odd_value(random));
    }
}

/* The number of lines, and the one of that number in *line. */
static size_t lines(const uint8_t *data, size_t size, size_t number, const uint8_t **line,
                    size_t *length)
{
    size_t count = 0;
    for (size_t at = 0; at < size; count++) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        const size_t next = end == NULL ? size : (size_t)(end - data);
        if (count == number) {
            *line = data + at;
            *length = next - at;
        }
        at = next + 1;
    }
    return count;
}

/* Puts a text in place of a part of the input; 0: it is too long. */
static size_t replace(uint8_t *data, size_t size, size_t most, size_t from, size_t length,
                      const char *text)
{
    const size_t now = strlen(text);
    if (size - length + now > most)
        return 0;
    memmove(data + from + now, data + from + length, size - from - length);
    memcpy(data + from, text, now);
    return size - length + now;
}

size_t mutate_json_lines(uint8_t *data, size_t size, size_t most, uint64_t *random)
{
    const uint8_t *line = NULL;
    size_t length = 0;
    const size_t count = lines(data, size, SIZE_MAX, &line, &length);
    if (count == 0)
        return 0;
    (void)lines(data, size, random_below(random, count), &line, &length);
    json_t *value = json_loadb((const char *)line, length, 0, NULL);
    for (uint64_t times = 1 + random_below(random, 3); value != NULL && times > 0; times--)
        mutate_value(value, random);
    char *text = value == NULL ? NULL : json_dumps(value, JSON_COMPACT);
    const size_t now =
        text == NULL ? 0 : replace(data, size, most, (size_t)(line - data), length, text);
    free(text);
    json_decref(value);
    return now;
}

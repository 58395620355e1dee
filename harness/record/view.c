// Parses JSON into values that point into its text, and finds them.
#include "view.h"

#include "common/json.h"
#include "common/text.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    struct view *view;
    const char *at, *end;
    char *string; // where the next one goes
};

static bool parse_value(struct parser *parser, unsigned depth);

static bool skip_string(struct parser *parser)
{
    const char *c = parser->at + 1;
    while (c < parser->end && *c != '"') {
        if ((unsigned char)*c < 0x20)
            return false;
        c += *c == '\\' ? 2 : 1;
    }
    if (c >= parser->end)
        return false;
    parser->at = c + 1;
    return true;
}

// One of a few characters. (strchr() costs more than all the others here together.)
static bool skip_any(struct parser *parser, const char *of)
{
    const char at = parser->at < parser->end ? *parser->at : '\0';
    while (*of != '\0' && *of != at)
        of++;
    if (*of == '\0')
        return false;
    parser->at++;
    return true;
}

static bool skip_word(struct parser *parser, const char *word)
{
    const size_t length = strlen(word);
    if ((size_t)(parser->end - parser->at) < length || memcmp(parser->at, word, length) != 0)
        return false;
    parser->at += length;
    return true;
}

static bool skip_digits(struct parser *parser)
{
    const char *start = parser->at;
    while (parser->at < parser->end && *parser->at >= '0' && *parser->at <= '9')
        parser->at++;
    return parser->at > start;
}

// No digit follows a 0 that a number begins with.
static bool skip_number(struct parser *parser)
{
    (void)skip_any(parser, "-");
    if (!(skip_any(parser, "0") || skip_digits(parser)) ||
        (skip_any(parser, ".") && !skip_digits(parser)))
        return false;
    if (!skip_any(parser, "eE"))
        return true;
    (void)skip_any(parser, "+-");
    return skip_digits(parser);
}

// Escapes that are none are refused: who copies the text as it is would write them again.
static bool take_string(struct parser *parser, const char **string)
{
    const char *start = parser->at;
    if (parser->at >= parser->end || *parser->at != '"' || !skip_string(parser))
        return false;
    const size_t length = (size_t)(parser->at - start);
    const bool escaped = memchr(start, '\\', length);
    json_t *plain = escaped ? json_loadb(start, length, JSON_DECODE_ANY, NULL) : NULL;
    if (escaped && !plain)
        return false;
    *string = parser->string;
    parser->string = plain ? stpcpy(parser->string, json_string_value(plain))
                           : mempcpy(parser->string, start + 1, length - 2);
    *parser->string++ = '\0';
    json_decref(plain);
    return true;
}

// Whether two of an object's members, from `first` on, have one name. An object with more of them
// than any record has is left to jansson.
static bool has_twins(const struct parser *parser, size_t first, size_t members)
{
    enum { MANY = 200 };
    const struct value *begin = &parser->view->item[first],
                       *end = parser->view->item + parser->view->count;
    if (members > MANY) {
        const char *text = begin[-1].text;
        json_auto_t *known =
            json_loadb(text, (size_t)(parser->at - text), JSON_REJECT_DUPLICATES, NULL);
        return !known;
    }
    for (const struct value *item = begin; item < end; item += item->size)
        for (const struct value *other = begin; other < item; other += other->size)
            if (item->key[0] == other->key[0] && strcmp(item->key, other->key) == 0)
                return true;
    return false;
}

static bool parse_items(struct parser *parser, const char *closing, unsigned depth)
{
    const size_t first = parser->view->count;
    size_t members = 0;
    parser->at++;
    if (skip_any(parser, closing))
        return true;
    do {
        const char *key = NULL;
        if (*closing == '}' && !(take_string(parser, &key) && skip_any(parser, ":")))
            return false;
        const size_t item = parser->view->count;
        if (!parse_value(parser, depth))
            return false;
        parser->view->item[item].key = key;
        members += key != NULL;
    } while (skip_any(parser, ","));
    return skip_any(parser, closing) && (members == 0 || !has_twins(parser, first, members));
}

// By the characters that values begin with, in the order of the types; any other is a number's.
static enum view_type type_of(char first)
{
    static const char begins[] = "nft0\"[{";
    const char *place = memchr(begins, first, sizeof begins - 1);
    return place ? (enum view_type)(place - begins) : VIEW_NUMBER;
}

static bool parse_value(struct parser *parser, unsigned depth)
{
    static const char *const words[] = {
        [VIEW_NULL] = "null", [VIEW_FALSE] = "false", [VIEW_TRUE] = "true"};
    struct view *view = parser->view;
    const size_t index = view->count;
    const char *string = NULL;
    if (parser->at >= parser->end || depth > VIEW_DEEPEST)
        return false;
    const enum view_type type = type_of(*parser->at);
    MORE(view) = (struct value){.text = parser->at, .type = type};
    const bool good = type == VIEW_OBJECT   ? parse_items(parser, "}", depth + 1)
                      : type == VIEW_ARRAY  ? parse_items(parser, "]", depth + 1)
                      : type == VIEW_STRING ? take_string(parser, &string)
                      : type == VIEW_NUMBER ? skip_number(parser)
                                            : skip_word(parser, words[type]);
    struct value *value = &view->item[index];
    value->string = string;
    value->length = (uint32_t)(parser->at - value->text);
    value->size = (uint32_t)(view->count - index);
    return good;
}

// Between which and a value blanks mean nothing.
static bool is_mark(char c)
{
    return c == '"' || c == ',' || c == ':' || c == '{' || c == '}' || c == '[' || c == ']';
}

// Removes blanks, but for those within what would be another value without them, and replaces what
// is not UTF-8. to has room for 3 bytes for each of text, and for one more; it is ended by 0.
// Returns its length.
static size_t compact(const char *text, size_t length, char *to)
{
    char *out = to;
    bool inside = false, apart = false;
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        if ((unsigned char)c >= 0x80) {
            const size_t bytes = utf8_length(text + i, length - i);
            out = bytes > 0 ? mempcpy(out, text + i, bytes) : mempcpy(out, "\xef\xbf\xbd", 3);
            i += bytes > 0 ? bytes - 1 : 0;
            continue;
        }
        if (!inside && (c == ' ' || c == '\n' || c == '\t' || c == '\r')) {
            apart = out > to && !is_mark(out[-1]);
            continue;
        }
        if (apart && !is_mark(c))
            *out++ = ' ';
        apart = false;
        inside ^= c == '"';
        *out++ = c;
        if (inside && c == '\\' && i + 1 < length && (unsigned char)text[i + 1] < 0x80)
            *out++ = text[++i];
    }
    *out = '\0';
    return (size_t)(out - to);
}

const struct value *view_parse(struct view *view, const char *text, size_t length)
{
    const size_t most = 3 * length + 1;
    if (2 * most > view->size) {
        view->text = must(realloc(view->text, 2 * most));
        view->size = 2 * most;
    }
    const size_t used = compact(text, length, view->text);
    struct parser parser = {view, view->text, view->text + used, view->text + most};
    view->count = 0;
    if (used > UINT32_MAX / 2 || !parse_value(&parser, 0))
        return NULL;
    return parser.at == parser.end ? view->item : NULL;
}

void view_free(struct view *view)
{
    free(view->item);
    free(view->text);
    *view = (struct view){0};
}

const struct value *view_first(const struct value *container)
{
    if (!container || (container->type != VIEW_ARRAY && container->type != VIEW_OBJECT) ||
        container->size == 1)
        return NULL;
    return container + 1;
}

const struct value *view_next(const struct value *container, const struct value *item)
{
    const struct value *next = item + item->size;
    return next < container + container->size ? next : NULL;
}

bool view_each(const struct value *container, const struct value **item)
{
    *item = !*item ? view_first(container) : view_next(container, *item);
    return *item != NULL;
}

const struct value *view_get(const struct value *object, const char *key)
{
    if (!view_is(object, VIEW_OBJECT))
        return NULL;
    EACH_VALUE (item, object)
        if (item->key[0] == key[0] && strcmp(item->key, key) == 0)
            return item;
    return NULL;
}

const struct value *view_path(const struct value *object, const char *first, const char *second)
{
    return view_get(view_get(object, first), second);
}

bool view_is(const struct value *value, enum view_type type)
{
    return value && value->type == type;
}

bool view_equals(const struct value *value, const char *text)
{
    return text && view_is(value, VIEW_STRING) && strcmp(value->string, text) == 0;
}

bool view_matches(const struct value *object, const char *key, const char *text)
{
    return view_equals(view_get(object, key), text);
}

bool view_holds(const struct value *object, const char *key)
{
    return view_is(view_get(object, key), VIEW_TRUE);
}

bool view_has_text(const struct value *object, const char *key)
{
    return view_is(view_get(object, key), VIEW_STRING);
}

bool view_same(const struct value *a, const struct value *b)
{
    return a && b && a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

const struct value *view_entry(const struct value *list, const char *key, const char *text)
{
    EACH_VALUE (item, list)
        if (view_equals(view_get(item, key), text))
            return item;
    return NULL;
}

double view_number(const struct value *value, double otherwise)
{
    const double number = view_is(value, VIEW_NUMBER) ? strtod(value->text, NULL) : otherwise;
    return isinf(number) ? otherwise : number;
}

double view_real(const struct value *object, const char *key)
{
    return view_number(view_get(object, key), NAN);
}

uint32_t view_count(const struct value *value, uint32_t otherwise)
{
    const double number = view_number(value, otherwise);
    return number >= 0 && number <= UINT32_MAX ? (uint32_t)number : otherwise;
}

const char *view_string(const struct value *value)
{
    return value ? value->string : NULL;
}

const char *view_text(const struct value *object, const char *key)
{
    return view_string(view_get(object, key));
}

bool view_lists(const struct value *list, const char *text)
{
    EACH_VALUE (item, list)
        if (view_equals(item, text))
            return true;
    return false;
}

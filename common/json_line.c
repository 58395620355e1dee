// Reads one line of a file of records, several times faster than jansson does.

#include "common/record_json.h"

#include <string.h>

// One line of a file of records, read several times faster than by jansson, which is for any
// text from anywhere: a file has a hundred thousand lines that we have written. What is not
// surely the same for both (an escape, a letter that is not ASCII, a long number, a name that is
// there twice, an error) is left to jansson.

enum { DEEPEST = 16, KEY_SIZE = 64, MOST_DIGITS = 15, MOST_POWER = 22 };
static const int64_t most_number = 100000000000000000;

struct reader {
    const char *at, *end;
};

static json_t *take_value(struct reader *reader, unsigned depth);

static void skip_blanks(struct reader *reader)
{
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\n'))
        reader->at++;
}

static bool skip(struct reader *reader, char what)
{
    if (reader->at >= reader->end || *reader->at != what)
        return false;
    reader->at++;
    return true;
}

// A plain text up to its closing quote, behind which `at` is then; NULL: none.
static const char *take_text(struct reader *reader, size_t *length)
{
    if (!skip(reader, '"'))
        return NULL;
    const char *text = reader->at;
    while (reader->at < reader->end && *reader->at != '"') {
        if (*reader->at == '\\' || (unsigned char)(*reader->at - ' ') >= 0x80 - ' ')
            return NULL;
        reader->at++;
    }
    *length = (size_t)(reader->at - text);
    return skip(reader, '"') ? text : NULL;
}

static json_t *take_string(struct reader *reader)
{
    size_t length;
    const char *text = take_text(reader, &length);
    return text ? json_stringn_nocheck(text, length) : NULL;
}

static bool take_member(struct reader *reader, json_t *object, unsigned depth)
{
    char key[KEY_SIZE];
    size_t length;
    const char *text = take_text(reader, &length);
    if (!text || length >= sizeof key)
        return false;
    *(char *)mempcpy(key, text, length) = '\0';
    skip_blanks(reader);
    if (!skip(reader, ':'))
        return false;
    const size_t before = json_object_size(object);
    return json_object_set_new_nocheck(object, key, take_value(reader, depth)) == 0 &&
           json_object_size(object) > before;
}

static json_t *take_list(struct reader *reader, char closing, unsigned depth)
{
    json_t *list = closing == '}' ? json_object() : json_array();
    bool good = true;
    reader->at++;
    skip_blanks(reader);
    if (skip(reader, closing))
        return list;
    do {
        skip_blanks(reader);
        good = closing == '}' ? take_member(reader, list, depth)
                              : json_array_append_new(list, take_value(reader, depth)) == 0;
        skip_blanks(reader);
    } while (good && skip(reader, ','));
    if (good && skip(reader, closing))
        return list;
    json_decref(list);
    return NULL;
}

// Adds the digits to a number, and returns how many there are.
static int take_digits(struct reader *reader, int64_t *number)
{
    const char *start = reader->at;
    for (; reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9'; reader->at++)
        if (*number < most_number) // more digits than these are refused (take_number)
            *number = 10 * *number + (*reader->at - '0');
    return (int)(reader->at - start);
}

static bool take_exponent(struct reader *reader, int *power)
{
    int64_t exponent = 0;
    if (!skip(reader, 'e') && !skip(reader, 'E'))
        return true;
    const bool is_negative = skip(reader, '-');
    if (!is_negative)
        (void)skip(reader, '+');
    const int digits = take_digits(reader, &exponent);
    if (digits == 0 || digits > 3)
        return false;
    *power += (int)(is_negative ? -exponent : exponent);
    return true;
}

// Of at most 15 digits, and a power of ten that a double has exactly: the one rounding is right.
static json_t *real(int64_t digits, int power, bool is_negative)
{
    static const double tens[MOST_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (power < -MOST_POWER || power > MOST_POWER)
        return NULL;
    const double value = power < 0 ? (double)digits / tens[-power] : (double)digits * tens[power];
    return json_real(is_negative ? -value : value);
}

static json_t *take_number(struct reader *reader)
{
    int64_t number = 0;
    const bool is_negative = skip(reader, '-');
    const char *first = reader->at;
    const int whole = take_digits(reader, &number);
    if (whole == 0 || whole > MOST_DIGITS || (whole > 1 && *first == '0'))
        return NULL;
    const char *behind = reader->at;
    const int decimals = skip(reader, '.') ? take_digits(reader, &number) : 0;
    int power = -decimals;
    if (reader->at == behind + 1 || whole + decimals > MOST_DIGITS ||
        !take_exponent(reader, &power))
        return NULL;
    return reader->at == behind ? json_integer(is_negative ? -number : number)
                                : real(number, power, is_negative);
}

static json_t *take_word(struct reader *reader, const char *word, json_t *value)
{
    const size_t length = strlen(word);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0)
        return NULL;
    reader->at += length;
    return value;
}

static json_t *take_value(struct reader *reader, unsigned depth)
{
    skip_blanks(reader);
    if (reader->at >= reader->end || depth == DEEPEST)
        return NULL;
    switch (*reader->at) {
    case '{':
        return take_list(reader, '}', depth + 1);
    case '[':
        return take_list(reader, ']', depth + 1);
    case '"':
        return take_string(reader);
    case 't':
        return take_word(reader, "true", json_true());
    case 'f':
        return take_word(reader, "false", json_false());
    case 'n':
        return take_word(reader, "null", json_null());
    default:
        return take_number(reader);
    }
}

json_t *json_read_line(const char *line, size_t length)
{
    struct reader reader = {line, line + length};
    json_t *record = length > 0 && *line == '{' ? take_value(&reader, 0) : NULL;
    skip_blanks(&reader);
    if (record && reader.at == reader.end)
        return record;
    json_decref(record);
    return json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
}

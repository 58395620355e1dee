// Writes JSON, a line of a record at a time, into a buffer that grows.

#include "common/json.h"

#include "common/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST 512

static void append(struct line *line, const char *text, size_t length)
{
    if (line->failed)
        return;
    if (line->used + length + 1 > line->size) {
        const size_t size = 2 * (line->used + length + 1) + SMALLEST;
        char *larger = realloc(line->text, size);
        if (!larger) {
            line->failed = true;
            return;
        }
        line->text = larger;
        line->size = size;
    }
    memcpy(line->text + line->used, text, length);
    line->used += length;
    line->text[line->used] = '\0';
}

size_t utf8_length(const char *start, size_t left)
{
    const unsigned char *text = (const unsigned char *)start;
    const size_t length = *text < 0x80   ? 1
                          : *text < 0xc2 ? 0
                          : *text < 0xe0 ? 2
                          : *text < 0xf0 ? 3
                          : *text < 0xf5 ? 4
                                         : 0;
    if (length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    const bool wrong = (*text == 0xe0 && text[1] < 0xa0) || (*text == 0xed && text[1] > 0x9f) ||
                       (*text == 0xf0 && text[1] < 0x90) || (*text == 0xf4 && text[1] > 0x8f);
    return length > 1 && wrong ? 0 : length;
}

bool utf8_is_valid(const char *text)
{
    size_t left = strlen(text), length = 1;
    for (; left > 0 && length > 0; text += length, left -= length)
        length = utf8_length(text, left);
    return left == 0;
}

static void append_quoted(struct line *line, const char *value)
{
    char escaped[8];
    append(line, "\"", 1);
    for (const unsigned char *c = (const unsigned char *)value; *c != '\0';) {
        const size_t length = utf8_length((const char *)c, 4);
        if (length == 0) {
            snprintf(escaped, sizeof escaped, "\\\\x%02x", *c);
            append(line, escaped, 5);
        } else if (*c == '"' || *c == '\\') {
            snprintf(escaped, sizeof escaped, "\\%c", *c);
            append(line, escaped, 2);
        } else if (*c < 0x20 || *c == 0x7f) {
            snprintf(escaped, sizeof escaped, "\\u%04x", *c);
            append(line, escaped, 6);
        } else {
            append(line, (const char *)c, length);
        }
        c += length == 0 ? 1 : length;
    }
    append(line, "\"", 1);
}

// What comes before any value: a comma unless it is the first, and its name.
static void begin(struct line *line, const char *name)
{
    const char last = line->used == 0 ? '\0' : line->text[line->used - 1];
    if (line->depth > 0 && last != '{' && last != '[')
        append(line, ",", 1);
    if (!name)
        return;
    append_quoted(line, name);
    append(line, ":", 1);
}

static void open_level(struct line *line, const char *name, bool array)
{
    begin(line, name);
    append(line, array ? "[" : "{", 1);
    line->arrays = line->arrays << 1 | array;
    line->depth++;
}

void line_object(struct line *line, const char *name)
{
    open_level(line, name, false);
}

void line_array(struct line *line, const char *name)
{
    open_level(line, name, true);
}

void line_close(struct line *line)
{
    append(line, line->arrays & 1 ? "]" : "}", 1);
    line->arrays >>= 1;
    line->depth--;
}

void line_raw(struct line *line, const char *name, const char *value)
{
    begin(line, name);
    append(line, value, strlen(value));
}

void line_text(struct line *line, const char *name, const char *value)
{
    if (!value) {
        line_null(line, name);
        return;
    }
    begin(line, name);
    append_quoted(line, value);
}

void line_count(struct line *line, const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    line_raw(line, name, text);
}

void line_integer(struct line *line, const char *name, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    line_raw(line, name, text);
}

void line_real(struct line *line, const char *name, double value)
{
    char text[40];
    if (!isfinite(value)) {
        line_null(line, name);
        return;
    }
    line_raw(line, name, units_exact_real(value, text, sizeof text));
}

void line_fixed(struct line *line, const char *name, double value, int decimals)
{
    char text[512]; // DBL_MAX has 309 digits before the point
    if (!isfinite(value)) {
        line_null(line, name);
        return;
    }
    snprintf(text, sizeof text, "%.*f", decimals > 100 ? 100 : decimals, value);
    line_raw(line, name, text);
}

void line_seconds(struct line *line, const char *name, int64_t time_ns, int decimals)
{
    // By integers, so that the last digit is right after years of uptime, too.
    const uint64_t size = time_ns < 0 ? -(uint64_t)time_ns : (uint64_t)time_ns;
    uint64_t fraction = size % 1000000000;
    char text[48];
    decimals = decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
    for (int i = decimals; i < 9; i++)
        fraction /= 10;
    snprintf(text, sizeof text, "%s%" PRIu64, time_ns < 0 ? "-" : "", size / 1000000000);
    const size_t used = strlen(text);
    if (decimals > 0)
        snprintf(text + used, sizeof text - used, ".%0*" PRIu64, decimals, fraction);
    line_raw(line, name, text);
}

void line_bool(struct line *line, const char *name, bool value)
{
    line_raw(line, name, value ? "true" : "false");
}

void line_null(struct line *line, const char *name)
{
    line_raw(line, name, "null");
}

const char *line_end(struct line *line)
{
    while (line->depth > 0)
        line_close(line);
    append(line, "\n", 1);
    return line->failed ? NULL : line->text;
}

void line_free(struct line *line)
{
    free(line->text);
    *line = (struct line){0};
}

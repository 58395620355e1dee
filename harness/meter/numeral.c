// Reads the whole of a number in a text, of which a pattern may have taken a part.
#include "numeral.h"

#include "common/metric.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// So far in front of a digit its number is looked for, and farther where there are only digits.
#define FARTHEST 128

// A text that is read from `at` on.
struct reading {
    const char *text;
    size_t length, at;
};

static char byte_at(const struct reading *reading, size_t at)
{
    return at < reading->length ? reading->text[at] : '\0';
}

static bool digit_at(const struct reading *reading, size_t at)
{
    return at < reading->length && isdigit((unsigned char)reading->text[at]);
}

static bool letter_at(const struct reading *reading, size_t at)
{
    return at < reading->length && isalpha((unsigned char)reading->text[at]);
}

static bool text_at(const struct reading *reading, size_t at, const char *text)
{
    const size_t length = strlen(text);
    return at <= reading->length && length <= reading->length - at &&
           memcmp(reading->text + at, text, length) == 0;
}

// What may be between the digits of a number, and the letter for it in a shape: blanks that do
// not end a line are one, and so are both apostrophes.
#define SPACE 's'
#define FIXED 'f'

static const struct {
    const char *text;
    char mark;
} marks[] = {
    {".", '.'},
    {",", ','},
    {":", ':'},
    {"'", '\''},
    {"\u2019", '\''},
    {"_", '_'},
    {" ", SPACE},
    {"\u00a0", FIXED},
    {"\u2007", FIXED},
    {"\u2009", FIXED},
    {"\u202f", FIXED},
    // 1920x1080, 10^6 and 5m3 go on, too; what they come to is not for us to say.
    {"x", 'x'},
    {"X", 'x'},
    {"\u00d7", 'x'},
    {"^", 'x'},
    {"h", 'x'},
    {"m", 'x'},
    {"\u00b7", 'x'},
    {"\u066b", 'x'},
    {"\u066c", 'x'},
};

// The mark at that place, in front of a digit, and how long it is; '\0': there is none.
static char mark_at(const struct reading *reading, size_t at, size_t *length)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (text_at(reading, at, marks[i].text)) {
            *length = strlen(marks[i].text);
            return digit_at(reading, at + *length) ? marks[i].mark : '\0';
        }
    return '\0';
}

bool numeral_seam(char a, char b)
{
    const char *const pair = (const char[]){a, b};
    for (int i = 0; i < 2; i++)
        if (!isalnum((unsigned char)pair[i]) && (unsigned char)pair[i] < 0x80 &&
            !memchr(".,:'_^+- ", pair[i], 9))
            return true;
    return isalpha((unsigned char)a) && isalpha((unsigned char)b);
}

// ---- 1h 2m 3.5s

struct time_unit {
    const char *name;
    double seconds;
};

static const struct time_unit time_units[] = {
    {"d", 86400},  {"day", 86400}, {"days", 86400}, {"h", 3600},  {"hr", 3600},
    {"hrs", 3600}, {"hour", 3600}, {"hours", 3600}, {"m", 60},    {"min", 60},
    {"mins", 60},  {"minute", 60}, {"minutes", 60}, {"s", 1},     {"sec", 1},
    {"secs", 1},   {"second", 1},  {"seconds", 1},  {"ms", 1e-3}, {NULL, 0},
};

struct time_part {
    double value_s, unit_s;
    bool is_last;   // it has a fraction
    bool is_word;   // its unit is one, not a letter or two
    bool is_listed; // a comma or "and" follows
};

// A number without a sign; returns where it ends, which is `at` where there is none.
static size_t read_value(const struct reading *reading, size_t at, struct time_part *part)
{
    char number[40];
    size_t used = 0;
    while (digit_at(reading, at) && used < sizeof number / 2)
        number[used++] = reading->text[at++];
    const char mark = byte_at(reading, at);
    part->is_last = used > 0 && (mark == '.' || mark == ',') && digit_at(reading, at + 1);
    if (part->is_last) {
        number[used++] = '.';
        for (at++; digit_at(reading, at); at++)
            if (used < sizeof number - 1)
                number[used++] = reading->text[at];
    }
    number[used] = '\0';
    part->value_s = strtod(number, NULL);
    return at;
}

// A number with a unit of time behind it, less than one of the part before; moves on.
static bool read_part(struct reading *reading, const struct time_part *before,
                      struct time_part *part)
{
    char name[8];
    size_t at = read_value(reading, reading->at, part), used = 0;
    if (at == reading->at)
        return false;
    at += byte_at(reading, at) == ' ';
    while (letter_at(reading, at) && used < sizeof name - 1)
        name[used++] = reading->text[at++];
    name[used] = '\0';
    const struct time_unit *unit = time_units;
    while (unit->name && strcmp(unit->name, name) != 0)
        unit++;
    if (!unit->name || letter_at(reading, at) || byte_at(reading, at) == '_')
        return false;
    part->value_s *= unit->seconds;
    part->unit_s = unit->seconds;
    part->is_word = used > 2;
    reading->at = at;
    return !before || (part->unit_s < before->unit_s && part->value_s < before->unit_s &&
                       (part->is_word || !before->is_listed));
}

// Between two parts: nothing, or what stands between words: 5 s, 3 ms are two times.
static size_t read_joint(const struct reading *reading, size_t at, const struct time_part *before)
{
    static const char *const joints[] = {" ", ", ", " and "};
    for (size_t i = 0; i < (before->is_word ? sizeof joints / sizeof *joints : 1); i++)
        if (text_at(reading, at, joints[i]) && digit_at(reading, at + strlen(joints[i])))
            return at + strlen(joints[i]);
    return at;
}

// Two or more parts, such as 1h 2m; moves behind them.
static bool read_duration(struct reading *reading, struct numeral *numeral)
{
    struct reading rest = *reading;
    struct time_part before, part;
    size_t parts = 0, end = 0;
    double sum_s = 0;
    while (read_part(&rest, parts > 0 ? &before : NULL, &part)) {
        sum_s += part.value_s;
        end = rest.at;
        parts++;
        before = part;
        if (part.is_last)
            break;
        rest.at = read_joint(&rest, end, &before);
        before.is_listed = rest.at - end > 1;
    }
    // Directly behind it there is no more.
    if (parts < 2 || digit_at(reading, end))
        return false;
    reading->at = end;
    numeral->kind = NUMERAL_TIME;
    (void)snprintf(numeral->plain, sizeof numeral->plain, "%.9f", sum_s);
    return true;
}

// ---- 1-02:03:04, 1:25:56, 0:01.23

static bool is_sixty(const char *text)
{
    return isdigit((unsigned char)text[0]) && isdigit((unsigned char)text[1]) && text[0] < '6';
}

// Reads a shape with colons. Minutes and seconds alone need a fraction, to be no hours.
static bool read_clock(const char *shape, char plain[NUMERAL_SIZE + 16])
{
    char *end;
    double sum_s = strtod(shape, &end), days = 0;
    size_t fields = 1;
    if (strcspn(shape, ":.,-") > 9 || !isdigit((unsigned char)shape[0]))
        return false;
    if (*end == '-') {
        days = sum_s;
        sum_s = strtod(end + 1, &end);
    }
    while (*end == ':' && is_sixty(end + 1)) {
        sum_s = sum_s * 60 + (double)((end[1] - '0') * 10 + end[2] - '0');
        end += 3;
        fields++;
    }
    const bool fraction = (*end == '.' || *end == ',') && isdigit((unsigned char)end[1]) &&
                          end[1 + strspn(end + 1, "0123456789")] == '\0';
    if (fields > 3 || fields + fraction < 3 || (*end != '\0' && !fraction))
        return false;
    char number[NUMERAL_SIZE];
    (void)snprintf(number, sizeof number, "0.%s", fraction ? end + 1 : "0");
    (void)snprintf(plain, NUMERAL_SIZE + 16, "%.9f", sum_s + days * 86400 + strtod(number, NULL));
    return true;
}

// ---- 1'234'567.8

// Where digits are in threes between marks of one kind: 1 to 3, then always 3. Returns how
// many groups follow the first one; 0 where they are otherwise. A number does not begin with 0.
static size_t groups_of(const char *text, size_t length, char mark)
{
    size_t count = 0, digits = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] != mark) {
            digits += isdigit((unsigned char)text[i]) ? 1 : 4;
            continue;
        }
        if (digits == 0 || digits > 3 || (count > 0 && digits != 3))
            return 0;
        digits = 0;
        count++;
    }
    return text[0] == '0' || digits != 3 ? 0 : count;
}

// The shape without the marks that group its digits, and a point for its decimal mark.
static void make_plain(const char *shape, char group, char decimal, char plain[NUMERAL_SIZE + 16])
{
    for (; *shape != '\0'; shape++)
        if (*shape != group)
            *plain++ = *shape == decimal ? '.' : *shape;
    *plain = '\0';
}

// What a shape of digits, marks and an exponent is.
static enum numeral_kind read_groups(const char *shape, enum metric_comma comma,
                                     char plain[NUMERAL_SIZE + 16])
{
    const char *const body = shape + (shape[0] == '-' || shape[0] == '+');
    const size_t length = strcspn(body, "e"), whole = strcspn(body, ".,'sfe");
    const char first = whole < length ? body[whole] : '\0';
    const char *last = body + length;
    while (last > body && isdigit((unsigned char)last[-1]))
        last--;
    const char mark = last > body ? last[-1] : '\0';
    const char point = comma == COMMA_DECIMAL ? ',' : '.';
    const bool one = first != '\0' && body + whole == last - 1;
    if (first == '\0' || (one && mark == point)) {
        make_plain(shape, '\0', point, plain);
        return point == '.' ? NUMERAL_PLAIN : NUMERAL_GROUPED;
    }
    // Behind groups that have another mark, a comma can only be the decimal mark.
    const bool has_fraction =
        !one && mark != first &&
        (mark == point || (comma == COMMA_UNKNOWN && first != '.' && mark == ','));
    const size_t grouped = has_fraction ? (size_t)(last - 1 - body) : length;
    const size_t groups = groups_of(body, grouped, first);
    if (groups == 0 || body[length] == 'e' || first == point || first == SPACE ||
        (first == '.' && comma != COMMA_DECIMAL))
        return NUMERAL_UNCLEAR;
    if (first == ',' && comma == COMMA_UNKNOWN && groups < 2 && !has_fraction)
        return NUMERAL_UNCLEAR;
    make_plain(shape, first, has_fraction ? mark : '\0', plain);
    return first == ',' && comma == COMMA_UNKNOWN ? NUMERAL_LISTED : NUMERAL_GROUPED;
}

// ---- Where a number begins and ends

// What a number is made of, as it is found.
struct shape {
    char *text; // of NUMERAL_SIZE
    size_t length;
};

static void shape_add(struct shape *shape, char c)
{
    if (shape->length < NUMERAL_SIZE)
        shape->text[shape->length] = c;
    shape->length++;
}

static void take_digits(struct reading *reading, struct shape *shape)
{
    for (; digit_at(reading, reading->at); reading->at++)
        shape_add(shape, reading->text[reading->at]);
}

// Behind three digits that are no more, from the blank at `at` on; `at` where there are none.
static size_t behind_three(const struct reading *reading, size_t at)
{
    size_t digits = 0;
    while (digits < 4 && digit_at(reading, at + 1 + digits))
        digits++;
    return byte_at(reading, at) == ' ' && digits == 3 ? at + 4 : at;
}

static bool is_column_at(const struct reading *reading, size_t at)
{
    return byte_at(reading, at) == ' ' && digit_at(reading, at + 1);
}

// Where groups that blanks separate end, from the first blank on; `blank` where these are words or
// columns: beside another number, or in front of a hyphen, as in "4 256-bit words".
static size_t behind_blanks(const struct reading *reading, size_t start, size_t blank)
{
    size_t end = blank, next;
    if (blank - start > 3 || reading->text[start] == '0' ||
        (start >= 2 && byte_at(reading, start - 1) == ' ' && digit_at(reading, start - 2)))
        return blank;
    while ((next = behind_three(reading, end)) != end)
        end = next;
    size_t behind = end;
    if ((byte_at(reading, end) == '.' || byte_at(reading, end) == ',') &&
        digit_at(reading, end + 1))
        for (behind++; digit_at(reading, behind);)
            behind++;
    return is_column_at(reading, behind) || byte_at(reading, behind) == '-' ? blank : end;
}

// e+06, and Fortran's D+03; moves on.
static bool take_exponent(struct reading *reading, struct shape *shape, bool *is_plain)
{
    const char letter = byte_at(reading, reading->at), sign = byte_at(reading, reading->at + 1);
    const bool is_signed = sign == '-' || sign == '+';
    const bool is_fortran = letter == 'd' || letter == 'D';
    if ((letter != 'e' && letter != 'E' && !(is_fortran && is_signed)) ||
        !digit_at(reading, reading->at + 1 + is_signed))
        return false;
    *is_plain = !is_fortran;
    shape_add(shape, 'e');
    if (is_signed)
        shape_add(shape, sign);
    reading->at += 1 + is_signed;
    take_digits(reading, shape);
    return true;
}

// 1-02:03:04, of which this is behind the first digits.
static bool is_day(const struct reading *reading, size_t at)
{
    return byte_at(reading, at) == '-' && digit_at(reading, at + 1) && digit_at(reading, at + 2) &&
           byte_at(reading, at + 3) == ':' && digit_at(reading, at + 4);
}

// Digits, and what goes on between them; moves behind them all.
static void take_number(struct reading *reading, size_t start, struct shape *shape)
{
    size_t blanks_end = 0, length;
    char mark;
    take_digits(reading, shape);
    if (reading->at > start && is_day(reading, reading->at)) {
        shape_add(shape, '-');
        reading->at++;
        take_digits(reading, shape);
    }
    while ((mark = mark_at(reading, reading->at, &length)) != '\0') {
        if (mark == SPACE && blanks_end == 0)
            blanks_end = behind_blanks(reading, start, reading->at);
        if (mark == SPACE && reading->at >= blanks_end)
            break;
        shape_add(shape, mark == '_' ? '\'' : mark);
        reading->at += length;
        take_digits(reading, shape);
    }
}

// 0x1f: moves behind it.
static bool read_hexadecimal(struct reading *reading)
{
    size_t at = reading->at + 2;
    if (!text_at(reading, reading->at, "0x") && !text_at(reading, reading->at, "0X"))
        return false;
    while (at < reading->length && isxdigit((unsigned char)reading->text[at]))
        at++;
    if (at == reading->at + 2)
        return false;
    reading->at = at;
    return true;
}

// How long the sign is that stands at `at`, which is the start of a number; 0: there is none. A
// hyphen between words or numbers, as in 10-20, is not one, nor is that of +/-.
static size_t sign_at(const struct reading *reading, size_t at)
{
    static const char minus[] = "\u2212";
    const char before = at > 0 ? reading->text[at - 1] : ' ';
    if (isalnum((unsigned char)before) || memchr("_-+)]", before, 5) ||
        (at >= 2 && text_at(reading, at - 2, "+/")))
        return 0;
    return byte_at(reading, at) == '-' || byte_at(reading, at) == '+' ? 1
           : text_at(reading, at, minus)                              ? strlen(minus)
                                                                      : 0;
}

// Whether a point is the beginning of a number: .5, not v.5 or 1...5
static bool point_at(const struct reading *reading, size_t at)
{
    const char before = at > 0 ? reading->text[at - 1] : ' ';
    return byte_at(reading, at) == '.' && digit_at(reading, at + 1) &&
           !isalnum((unsigned char)before) && before != '.' && before != '_';
}

// Reads the number that begins where it is; moves behind it. False where none does.
static bool read_numeral(struct reading *reading, enum metric_comma comma, struct numeral *numeral)
{
    struct shape shape = {.text = numeral->shape};
    const size_t sign = sign_at(reading, reading->at), start = reading->at + sign;
    const bool has_point = point_at(reading, start);
    bool is_plain = sign <= 1;
    if (!digit_at(reading, start) && !has_point)
        return false;
    *numeral = (struct numeral){.start = reading->at, .kind = NUMERAL_UNCLEAR};
    if (sign > 0)
        shape_add(&shape, byte_at(reading, reading->at) == '+' ? '+' : '-');
    reading->at = start;
    if (has_point) {
        shape_add(&shape, '.');
        reading->at++;
    }
    if (read_hexadecimal(reading)) {
        numeral->kind = NUMERAL_HEXADECIMAL;
    } else if (sign > 0 || has_point || !read_duration(reading, numeral)) {
        take_number(reading, start, &shape);
        const bool is_power = take_exponent(reading, &shape, &is_plain);
        numeral->shape[shape.length < NUMERAL_SIZE ? shape.length : 0] = '\0';
        if (numeral->shape[0] != '\0' && !strpbrk(numeral->shape, ":x"))
            numeral->kind = read_groups(numeral->shape, comma, numeral->plain);
        else if (!is_power && strchr(numeral->shape, ':') &&
                 read_clock(numeral->shape, numeral->plain))
            numeral->kind = NUMERAL_TIME;
        if (numeral->kind == NUMERAL_PLAIN && !is_plain)
            numeral->kind = NUMERAL_GROUPED;
    }
    numeral->end = reading->at;
    return true;
}

// From where on there may be the beginning of the number that text[at] is part of.
static size_t farthest(const char *text, size_t at)
{
    size_t start = at;
    while (start > 0 && at - start < FARTHEST && !numeral_seam(text[start - 1], text[start]))
        start--;
    while (start > 0 && isdigit((unsigned char)text[start]) &&
           isdigit((unsigned char)text[start - 1]))
        start--;
    return start;
}

void numeral_around(const char *text, size_t length, size_t at, enum metric_comma comma,
                    struct numeral *numeral)
{
    struct reading reading = {text, length, farthest(text, at)};
    do
        while (!read_numeral(&reading, comma, numeral))
            reading.at++;
    while (reading.at <= at);
}

const char *numeral_plainly(const struct numeral *numeral, size_t index, char form[NUMERAL_SIZE])
{
    const char *shape = numeral->shape[0] != '\0' ? numeral->shape : "1.1", *last = NULL;
    size_t used = 0;
    shape += *shape == '-' || *shape == '+';
    for (const char *c = shape; *c != '\0' && *c != 'e'; c++)
        if (!isdigit((unsigned char)*c))
            last = c;
    for (const char *c = shape; *c != '\0' && *c != 'e'; c++)
        if (isdigit((unsigned char)*c) || (index == 1 && c == last))
            form[used++] = c == last ? '.' : *c;
    form[used] = '\0';
    if (strcmp(form, numeral->shape) == 0)
        form[0] = '\0';
    return form;
}

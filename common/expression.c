// Evaluates expressions of numbers, texts and names, by recursive descent.

#include "common/expression.h"

#include "common/record_json.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 }; // parentheses, functions and ! within each other

// What an operand is: a number, or a text of that length.
struct operand {
    double number;
    const char *text; // NULL: a number
    size_t length;
};

struct scan {
    const char *at, *end;
    const struct expression_names *names;
    struct expression *expression;
    enum expression_state state; // of what was read up to now
    size_t depth;
};

static struct operand scan_level(struct scan *scan, size_t level);

static struct operand number(double value)
{
    return (struct operand){.number = value};
}

// Nothing more is read then.
static struct operand no_expression(struct scan *scan)
{
    scan->state = EXPRESSION_NONE;
    scan->at = scan->end;
    return number(NAN);
}

// The first reason counts; what follows may still show that it is not an expression at all.
static void note_wrong(struct scan *scan, const char *what, size_t length, const char *advice)
{
    if (scan->state == EXPRESSION_GOOD)
        snprintf(scan->expression->why, sizeof scan->expression->why, "%.*s%s",
                 length > 60 ? 60 : (int)length, what, advice);
    if (scan->state == EXPRESSION_GOOD)
        scan->state = EXPRESSION_WRONG;
}

static bool scan_sign(struct scan *scan, const char *sign)
{
    const size_t length = strlen(sign);
    while (scan->at < scan->end && isspace((unsigned char)*scan->at))
        scan->at++;
    const bool found =
        (size_t)(scan->end - scan->at) >= length && strncmp(scan->at, sign, length) == 0;
    scan->at += found ? length : 0;
    return found;
}

// ---- operands

static double number_of(struct scan *scan, struct operand operand)
{
    if (!operand.text)
        return operand.number;
    if (!scan->names->lenient)
        note_wrong(scan, operand.text, operand.length,
                   " is not a number: compare texts with == or !=");
    return operand.length > 0;
}

// A text that is a number is one.
static struct operand text_operand(const char *text, size_t length)
{
    char copy[64], *end;
    const size_t sign = length > 1 && strchr("+-", *text) ? 1 : 0;
    // strtod() would take nan and infinity, too, which are words here.
    if (length == 0 || length >= sizeof copy ||
        !(isdigit((unsigned char)text[sign]) || text[sign] == '.'))
        return (struct operand){.text = text, .length = length};
    memcpy(copy, text, length);
    copy[length] = '\0';
    const double value = strtod(copy, &end);
    return *end == '\0' ? number(value) : (struct operand){.text = text, .length = length};
}

static const json_t *find_name(const struct scan *scan, const char *name, size_t length)
{
    const json_t *value = json_at(scan->names->values, name, length);
    return value || !scan->names->more ? value : json_at(scan->names->more, name, length);
}

// How much of the letters at a place is a name: all that is known, else what is before a minus
// sign.
static size_t name_length(const struct scan *scan)
{
    const char *at = scan->at;
    size_t all = 0, plain = 0;
    while (at + all < scan->end && (isalnum((unsigned char)at[all]) || strchr("_-", at[all])))
        all++;
    while (plain < all && at[plain] != '-')
        plain++;
    for (size_t length = all; length > plain; length--)
        if ((length == all || at[length] == '-') && find_name(scan, at, length))
            return length;
    return plain;
}

static struct operand name_operand(struct scan *scan, const char *name, size_t length)
{
    const json_t *value = find_name(scan, name, length);
    const char *text = json_string_value(value);
    scan->expression->names++;
    if (value && scan->names->used) {
        char key[128];
        snprintf(key, sizeof key, "%.*s", (int)length, name);
        json_object_set_new(scan->names->used, key, json_true());
    }
    if (!value && !scan->names->lenient)
        note_wrong(scan, name, length,
                   " is not known: give it values in this section, or by let above this line");
    if (!text)
        return number(json_number_value(value));
    // Flags that are not set may be empty texts.
    return *text == '\0' && scan->names->lenient ? number(0) : text_operand(text, strlen(text));
}

static struct operand quoted_operand(struct scan *scan)
{
    const char *text = scan->at;
    const char *end = memchr(text, '\'', (size_t)(scan->end - text));
    if (!end)
        return no_expression(scan);
    scan->at = end + 1;
    return text_operand(text, (size_t)(end - text));
}

static struct operand call_operand(struct scan *scan, const char *name, size_t length)
{
    static const char *const names[] = {"min", "max", "if", "floor", "ceil", "power_of_two"};
    static const size_t arguments[] = {2, 2, 3, 1, 1, 1};
    enum { FUNCTIONS = sizeof names / sizeof *names };
    double of[3] = {0};
    size_t count = 0, which = 0;
    do
        of[count++] = number_of(scan, scan_level(scan, 0));
    while (count < 3 && scan_sign(scan, ","));
    while (which < FUNCTIONS &&
           (strlen(names[which]) != length || strncmp(names[which], name, length) != 0))
        which++;
    if (!scan_sign(scan, ")") || which == FUNCTIONS || count != arguments[which])
        return no_expression(scan);
    switch (which) {
    case 0:
        return number(fmin(of[0], of[1]));
    case 1:
        return number(fmax(of[0], of[1]));
    case 2:
        return number(of[0] != 0 ? of[1] : of[2]);
    case 3:
        return number(floor(of[0]));
    case 4:
        return number(ceil(of[0]));
    default: // the remainder of a negative or huge number is nobody's power
        return number(of[0] >= 1 && of[0] < 0x1p63 &&
                      ((uint64_t)of[0] & ((uint64_t)of[0] - 1)) == 0);
    }
}

static struct operand scan_operand(struct scan *scan)
{
    if (scan_sign(scan, "!"))
        return number(number_of(scan, scan_level(scan, SIZE_MAX)) == 0);
    if (scan_sign(scan, "-"))
        return number(-number_of(scan, scan_level(scan, SIZE_MAX)));
    if (scan_sign(scan, "'"))
        return quoted_operand(scan);
    if (scan_sign(scan, "(")) {
        const struct operand operand = scan_level(scan, 0);
        return scan_sign(scan, ")") ? operand : no_expression(scan);
    }
    const char *start = scan->at;
    if (start < scan->end && isdigit((unsigned char)*start)) {
        size_t length = 0;
        while (start + length < scan->end &&
               (isalnum((unsigned char)start[length]) || start[length] == '.' ||
                (strchr("+-", start[length]) && strchr("eE", start[length - 1]))))
            length++;
        const struct operand operand = text_operand(start, length);
        scan->at += length;
        return operand.text ? no_expression(scan) : operand;
    }
    const size_t length = name_length(scan);
    if (length == 0)
        return no_expression(scan);
    scan->at += length;
    return scan_sign(scan, "(") ? call_operand(scan, start, length)
                                : name_operand(scan, start, length);
}

// ---- operators

static bool is_same(const struct operand *a, const struct operand *b)
{
    if (!a->text || !b->text)
        return !a->text && !b->text && a->number == b->number;
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static double combined(char sign, bool or_equal, double a, double b)
{
    switch (sign) {
    case '|':
        return a != 0 || b != 0;
    case '&':
        return a != 0 && b != 0;
    case '<':
        return or_equal ? a <= b : a < b;
    case '>':
        return or_equal ? a >= b : a > b;
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / b;
    default:
        return fmod(a, b);
    }
}

// With == and != a lenient text counts as what it is in other places: 1.
static struct operand compared(const struct scan *scan, bool wanted, struct operand a,
                               struct operand b)
{
    if (scan->names->lenient && !(a.text && b.text)) {
        a = a.text ? number(1) : a;
        b = b.text ? number(1) : b;
    }
    return number(is_same(&a, &b) == wanted);
}

static struct operand scan_level(struct scan *scan, size_t level)
{
    static const char *const signs[][7] = {
        {"||"}, {"&&"}, {"==", "!=", "<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}};
    if (level >= sizeof signs / sizeof *signs) {
        if (scan->depth == DEEPEST)
            return no_expression(scan);
        scan->depth++;
        const struct operand operand = scan_operand(scan);
        scan->depth--;
        return operand;
    }
    struct operand value = scan_level(scan, level + 1);
    for (size_t i = 0; signs[level][i];) {
        const char *sign = signs[level][i];
        if (!scan_sign(scan, sign)) {
            i++;
            continue;
        }
        const struct operand other = scan_level(scan, level + 1);
        value = *sign == '=' || *sign == '!'
                    ? compared(scan, *sign == '=', value, other)
                    : number(combined(*sign, sign[1] == '=', number_of(scan, value),
                                      number_of(scan, other)));
        i = 0;
    }
    return value;
}

enum expression_state expression_find(struct expression *expression, const char *text,
                                      size_t length, const struct expression_names *names)
{
    struct scan scan = {.at = text, .end = text + length, .names = names, .expression = expression};
    *expression = (struct expression){0};
    expression->value = number_of(&scan, scan_level(&scan, 0));
    scan_sign(&scan, "");
    if (scan.at < scan.end)
        scan.state = EXPRESSION_NONE;
    if (!names->lenient && !isfinite(expression->value))
        note_wrong(&scan, "the value", strlen("the value"),
                   " is not a finite number: look at what is divided by 0");
    return scan.state;
}

const char *expression_let(const char *text, size_t *name)
{
    *name = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    const char *sign = text + *name + strspn(text + *name, " \t");
    if (!islower((unsigned char)*text) || *sign != '=' || sign[1] == '=')
        return NULL;
    return sign + 1 + strspn(sign + 1, " \t");
}

const char *expression_text(double value, char text[EXPRESSION_TEXT])
{
    if (value == floor(value) && fabs(value) < 1e15)
        snprintf(text, EXPRESSION_TEXT, "%.0f", value);
    else
        snprintf(text, EXPRESSION_TEXT, "%.*g", RECORD_DIGITS, value);
    return text;
}

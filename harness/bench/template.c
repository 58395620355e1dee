// What the matrix's files are written in: sections of lines, texts with places for variables, and
// expressions. CONTRIBUTING.md describes it.

#include "bench.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/units.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

// The files, which are part of the program: `jostle bench` has nothing to look for.
#define FILE_OF(name) ".incbin \"harness/bench/matrix/" name ".conf\"\n"
__asm__(".pushsection .rodata\n.globl bench_matrix_text\n.hidden bench_matrix_text\n"
        "bench_matrix_text:\n" FILE_OF("cpu") FILE_OF("memory") FILE_OF("disk") FILE_OF("network")
            FILE_OF("peers") ".byte 0\n.popsection\n");
extern const char bench_matrix_text[];

void matrix_mistake(const char *where, const char *what)
{
    complain("bench: %s: %s: this is a bug of jostle, please report it", where, what);
    exit(1);
}

// ---- sections

// A value as git config reads it: in quotes, with \" and \\ in it, or as it is.
static char *read_value(const char *text)
{
    char *value = must(strdup(*text == '"' ? text + 1 : text)), *end = value;
    if (*text != '"')
        return value;
    for (const char *at = value; *at != '"'; at++) {
        at += *at == '\\';
        if (*at == '\0')
            matrix_mistake(text, "its quotes are not closed");
        *end++ = *at;
    }
    *end = '\0';
    return value;
}

static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    for (char *end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);)
        *--end = '\0';
    return text;
}

json_t *sections_read(void)
{
    json_t *sections = must(json_object()), *lines = NULL;
    OWNED char *copy = must(strdup(bench_matrix_text));
    for (char *rest = copy, *next; (next = strsep(&rest, "\n"));) {
        char *line = trimmed(next), *equals = strchr(line, '=');
        char kind[16], name[64];
        if (*line == '\0' || *line == '#')
            continue;
        if (sscanf(line, "[%15s \"%63[^\"]\"]", kind, name) == 2) {
            OWNED char *id = text_of("%s %s", kind, name);
            if (json_has(sections, id))
                matrix_mistake(id, "it is there twice");
            lines = must(json_array());
            json_put(sections, id, lines);
        } else if (equals && lines) {
            *equals = '\0';
            json_add(lines, must(json_pack("[s, o]", trimmed(line),
                                           json_owned_text(read_value(trimmed(equals + 1))))));
        } else {
            matrix_mistake(line, "it is neither a section nor a setting");
        }
    }
    return sections;
}

// ---- expressions: numbers, variables, operators as in C, and functions

struct scan {
    const char *at, *text;
    const json_t *variables;
};

static double scan_level(struct scan *scan, size_t level);

// What a variable is in an expression: a text that is no number is 1, none and "" are 0.
static double variable_number(const json_t *value)
{
    const char *text = json_string_value(value);
    char *end;
    if (!text || *text == '\0')
        return json_number_value(value);
    const double number = strtod(text, &end);
    return *end == '\0' ? number : 1;
}

static bool scan_sign(struct scan *scan, const char *sign)
{
    scan->at += strspn(scan->at, " ");
    const bool found = strncmp(scan->at, sign, strlen(sign)) == 0;
    scan->at += found ? strlen(sign) : 0;
    return found;
}

static void scan_expect(struct scan *scan, const char *sign)
{
    if (!scan_sign(scan, sign))
        matrix_mistake(scan->text, "it is no expression");
}

static double scan_call(struct scan *scan, const char *name, size_t length)
{
    static const char *const names[] = {"min", "max", "if", "floor", "ceil", "power_of_two", NULL};
    double of[3] = {0};
    size_t count = 0, which = 0;
    do
        of[count++] = scan_level(scan, 0);
    while (count < 3 && scan_sign(scan, ","));
    scan_expect(scan, ")");
    while (names[which] && (strncmp(names[which], name, length) != 0 || names[which][length]))
        which++;
    switch (which) {
    case 0:
        return fmin(of[0], of[1]);
    case 1:
        return fmax(of[0], of[1]);
    case 2:
        return of[0] != 0 ? of[1] : of[2];
    case 3:
        return floor(of[0]);
    case 4:
        return ceil(of[0]);
    case 5: // of two
        return ((uint64_t)of[0] & ((uint64_t)of[0] - 1)) == 0;
    default:
        matrix_mistake(scan->text, "it has an unknown function");
    }
}

static double scan_operand(struct scan *scan)
{
    if (scan_sign(scan, "!"))
        return scan_operand(scan) == 0;
    if (scan_sign(scan, "(")) {
        const double value = scan_level(scan, 0);
        scan_expect(scan, ")");
        return value;
    }
    const char *name = scan->at;
    if (isdigit((unsigned char)*name)) {
        char *end;
        const double number = strtod(name, &end);
        scan->at = end;
        return number;
    }
    while (isalnum((unsigned char)*scan->at) || *scan->at == '_')
        scan->at++;
    const size_t length = (size_t)(scan->at - name);
    if (length == 0)
        matrix_mistake(scan->text, "it is no expression");
    return scan_sign(scan, "(") ? scan_call(scan, name, length)
                                : variable_number(json_at(scan->variables, name, length));
}

static double combined(const char *sign, double a, double b)
{
    switch (*sign) {
    case '|':
        return a != 0 || b != 0;
    case '&':
        return a != 0 && b != 0;
    case '=':
        return a == b;
    case '<':
        return sign[1] == '=' ? a <= b : a < b;
    case '>':
        return sign[1] == '=' ? a >= b : a > b;
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

static double scan_level(struct scan *scan, size_t level)
{
    static const char *const signs[][6] = {
        {"||"}, {"&&"}, {"==", "<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}};
    if (level == sizeof signs / sizeof *signs)
        return scan_operand(scan);
    double value = scan_level(scan, level + 1);
    for (size_t i = 0; signs[level][i];) {
        if (scan_sign(scan, signs[level][i])) {
            value = combined(signs[level][i], value, scan_level(scan, level + 1));
            i = 0;
        } else {
            i++;
        }
    }
    return value;
}

double expression_value(const char *text, const json_t *variables)
{
    struct scan scan = {text, text, variables};
    const double value = scan_level(&scan, 0);
    scan_sign(&scan, "");
    if (*scan.at != '\0')
        matrix_mistake(text, "it is no expression");
    return value;
}

// ---- texts

// "4KiB", with space " " "4 KiB": whole numbers of the largest unit. Returns text.
enum { BLOCK_TEXT = 32 };

static const char *block_text(uint64_t bytes, const char *space, char text[BLOCK_TEXT])
{
    char exact[BLOCK_TEXT];
    const size_t digits = strspn(units_exact_size(bytes, exact, sizeof exact), "0123456789");
    snprintf(text, BLOCK_TEXT, "%.*s%s%s", (int)digits, exact, space,
             exact[digits] == '\0' ? "B" : exact + digits);
    return text;
}

static void put_formatted(FILE *file, const char *format, double value)
{
    char text[BLOCK_TEXT];
    if (strcmp(format, "block") == 0)
        fputs(block_text((uint64_t)value, "", text), file);
    else if (strcmp(format, "spaced") == 0)
        fputs(block_text((uint64_t)value, " ", text), file);
    else if (strcmp(format, "size") == 0)
        fputs(units_format_size(value, text, sizeof text), file);
    else if (strcmp(format, "whole") == 0)
        fprintf(file, "%.0f", value);
    else if (strcmp(format, "s") == 0)
        fputs(value == 1 ? "" : "s", file);
    else
        matrix_mistake(format, "there is no such format");
}

// What stands between two braces: NAME, NAME:FORMAT, or @FIELD, the source of a figure of that name
// of the summary line that `loadgen --json` ends with; of several of that name the last.
static void put_place(FILE *file, const char *place, const json_t *variables)
{
    const size_t length = strcspn(place, ":");
    const json_t *value = json_at(variables, place, length);
    if (*place == '@')
        fprintf(file, "stdout:/\"event\":\"summary\".*\"%s\":([-+0-9.eE]+)/", place + 1);
    else if (!value)
        matrix_mistake(place, "there is no such variable");
    else if (place[length] == ':')
        put_formatted(file, place + length + 1, variable_number(value));
    else if (json_is_string(value))
        fputs(json_string_value(value), file);
    else
        fprintf(file, "%.*g", RECORD_DIGITS, json_number_value(value));
}

// The brace that closes the one at text.
static const char *closing(const char *text)
{
    size_t depth = 0;
    for (const char *at = text; *at != '\0'; at++) {
        depth += *at == '{';
        if (*at == '}' && --depth == 0)
            return at;
    }
    matrix_mistake(text, "a brace is not closed");
}

char *text_fill(const char *text, const json_t *variables)
{
    char *made = NULL;
    size_t size = 0;
    FILE *file = must(open_memstream(&made, &size));
    while (*text != '\0') {
        const bool brace = *text == '{' || *text == '}';
        if (!brace || text[1] == *text) {
            fputc(*text, file);
            text += brace ? 2 : 1;
            continue;
        }
        const char *end = closing(text);
        OWNED char *inner = must(strndup(text + 1, (size_t)(end - text) - 1));
        OWNED char *place = text_fill(inner, variables);
        put_place(file, place, variables);
        text = end + 1;
    }
    if (fclose(file) != 0)
        must(NULL);
    return made;
}

// What stands in a line of the matrix's files: expressions, and places that are filled in.

#include "matrix.h"

#include "common/expression.h"
#include "common/memory.h"
#include "common/record_json.h"
#include "common/template.h"
#include "common/units.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

void matrix_refuse(const struct matrix *matrix, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    config_refuse(&matrix->config, matrix->at, NULL, "%s", message);
}

struct section matrix_section(const struct matrix *matrix, const char *kind, const char *name)
{
    const struct section section = section_named(&matrix->config, kind, name);
    if (section.count == 0)
        matrix_refuse(matrix, "there is no section [%s \"%s\"]", kind, name);
    return section;
}

// ---- expressions

double matrix_value(const struct matrix *matrix, const char *text, const json_t *variables)
{
    const struct expression_names names = {.values = variables, .lenient = true};
    struct expression found;
    if (expression_find(&found, text, strlen(text), &names) != EXPRESSION_GOOD)
        matrix_refuse(matrix, "%s is not an expression", text);
    return found.value;
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

// False: there is no such format.
static bool put_formatted(FILE *file, const char *format, double value)
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
        return false;
    return true;
}

struct filled {
    const struct matrix *matrix;
    const json_t *variables;
};

static void check_name(const struct filled *filled, const char *name)
{
    const bool is_name = name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-")] == '\0';
    if (is_name && !json_has(filled->variables, name))
        matrix_refuse(filled->matrix, "{%s}: there is no such variable", name);
}

// NAME:FORMAT. False: the place is another one.
static bool put_format(FILE *file, const struct filled *filled, const char *place)
{
    const char *colon = strchr(place, ':');
    if (!colon)
        return false;
    OWNED char *name = must(strndup(place, (size_t)(colon - place)));
    check_name(filled, name);
    if (!put_formatted(file, colon + 1, matrix_value(filled->matrix, name, filled->variables)))
        matrix_refuse(filled->matrix, "%s: there is no such format", place);
    return true;
}

// Places may be in each other: {@{field}_per_s}.
static bool put_place(FILE *file, const char *text, size_t length, void *context)
{
    const struct filled *filled = context;
    OWNED char *copy = must(strndup(text, length));
    OWNED char *place = matrix_fill(filled->matrix, copy, filled->variables);
    const json_t *value = json_object_get(filled->variables, place);
    char number[EXPRESSION_TEXT];
    if (*place == '@') {
        OWNED char *source = summary_source(place + 1);
        fputs(source, file);
    } else if (json_is_string(value)) {
        fputs(json_string_value(value), file);
    } else if (!put_format(file, filled, place)) {
        check_name(filled, place);
        fputs(expression_text(matrix_value(filled->matrix, place, filled->variables), number),
              file);
    }
    return true;
}

char *matrix_fill(const struct matrix *matrix, const char *text, const json_t *variables)
{
    struct filled filled = {matrix, variables};
    return template_fill(text, BRACES_DOUBLED, put_place, &filled);
}

// ---- the words of a line

char *line_word(const struct filling *filling, char **value)
{
    char *word = strsep(value, " ");
    if (!word)
        matrix_refuse(filling->matrix, "it has too few words");
    *value = !*value ? word + strlen(word) : *value;
    return word;
}

double line_number(const struct filling *filling, char **value)
{
    return matrix_value(filling->matrix, line_word(filling, value), filling->variables);
}

const char *line_unit(const char *word)
{
    return strcmp(word, "-") == 0 ? "" : word;
}

void line_put(json_t *object, const char *key, const char *value)
{
    json_put(object, key, json_text(value));
}

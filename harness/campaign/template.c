#include "template.h"

#include "common/record_json.h"
#include "common/words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The length of "{name}" at text, or 0. */
static size_t placeholder_length(const char *text)
{
    size_t length = 1;
    if (text[0] != '{' || !isalpha((unsigned char)text[1]))
        return 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '-')
        length++;
    return text[length] == '}' ? length + 1 : 0;
}

bool template_next(const char **text, struct piece *piece)
{
    const char *at = *text;
    if (*at == '\0')
        return false;
    const size_t length = placeholder_length(at);
    if (length > 0) {
        *piece = (struct piece){.placeholder = true, .text = at + 1, .length = length - 2};
        *text = at + length;
    } else if (*at == '{' || *at == '}') {
        *piece = (struct piece){.text = at, .length = 1};
        *text = at + (at[1] == *at ? 2 : 1);
    } else {
        *piece = (struct piece){.text = at, .length = strcspn(at, "{}")};
        *text = at + piece->length;
    }
    return true;
}

bool template_is_node(const struct piece *piece)
{
    size_t i = sizeof "node" - 1;
    if (piece->length <= i || strncmp(piece->text, "node", i) != 0)
        return false;
    while (i < piece->length && isdigit((unsigned char)piece->text[i]))
        i++;
    return i == piece->length;
}

static bool put_value(FILE *stream, const char *value, bool quoted)
{
    if (!quoted)
        return fputs(value, stream) != EOF;
    const char *word = value;
    char *text = words_quote(&word, 1);
    const bool put = text != NULL && fputs(text, stream) != EOF;
    free(text);
    return put;
}

static bool put_piece(FILE *stream, const struct piece *piece, const json_t *values,
                      const json_t *builtin, enum fill fill)
{
    if (!piece->placeholder)
        return fwrite(piece->text, 1, piece->length, stream) == piece->length;
    const json_t *value = json_at(values, piece->text, piece->length);
    if (value == NULL)
        value = json_at(builtin, piece->text, piece->length);
    if (value == NULL)
        return fprintf(stream, "{%.*s}", (int)piece->length, piece->text) > 0;
    return put_value(stream, json_string_value(value), fill == FILL_QUOTED);
}

char *template_fill(const char *text, const json_t *values, const json_t *builtin, enum fill fill)
{
    char *filled = NULL;
    size_t size;
    FILE *stream = open_memstream(&filled, &size);
    struct piece piece;
    bool put = stream != NULL;
    while (put && template_next(&text, &piece))
        put = put_piece(stream, &piece, values, builtin, fill);
    if (stream != NULL && (fclose(stream) != 0 || !put)) {
        free(filled);
        return NULL;
    }
    return filled;
}

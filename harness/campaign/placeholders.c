// What placeholders, `let` and `skip` of a campaign file stand for.

#include "campaign.h"

#include "common/expression.h"
#include "common/memory.h"
#include "common/template.h"
#include "common/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMETER_SIZE = 128, MOST_NAMES = 256 };

// ---- placeholders

struct filling {
    const struct config *config;
    const struct entry *entry;
    const char *text; // that is filled in
    const json_t *values, *builtin;
    enum fill fill;
    json_t *used; // {name: true}, where the names are only looked at; NULL: they are filled in
};

static bool is_name(const char *place, size_t length)
{
    size_t i = 0;
    while (i < length && (isalnum((unsigned char)place[i]) || (i > 0 && place[i] == '-')))
        i++;
    return i == length && length > 0 && isalpha((unsigned char)*place);
}

// {node2} stays as it is in a load: it is filled in where the job's nodes are known.
static bool is_node(const struct filling *filling, const char *place, size_t length)
{
    size_t i = sizeof "node" - 1;
    if (strcmp(filling->entry->key, "spec") != 0 || length <= i || strncmp(place, "node", i) != 0)
        return false;
    while (i < length && isdigit((unsigned char)place[i]))
        i++;
    return i == length;
}

static void refuse_name(const struct filling *filling, const char *place, size_t length)
{
    const char *known[MOST_NAMES], *parameter;
    char name[PARAMETER_SIZE], lower[PARAMETER_SIZE];
    size_t count = 0;
    json_t *value;
    snprintf(name, sizeof name, "%.*s", (int)length, place);
    for (size_t i = 0; i < sizeof name; i++)
        lower[i] = (char)tolower((unsigned char)name[i]);
    const json_t *const objects[] = {filling->values, filling->builtin};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        json_object_foreach((json_t *)objects[i], parameter, value) if (count + 1 < MOST_NAMES)
            known[count++] = parameter;
    known[count] = NULL;
    config_refuse(filling->config, filling->entry, NULL,
                  "{%s}: unknown placeholder%s: give %s = VALUES in this section, or write {{ for "
                  "a brace",
                  name, nearest_hint(name, known).text, lower);
}

// A name that is known. False: it is not.
static bool put_name(FILE *stream, const struct filling *filling, const char *place, size_t length)
{
    const json_t *own = json_at(filling->values, place, length);
    const char *text = json_string_value(own ? own : json_at(filling->builtin, place, length));
    if (!text)
        return false;
    if (own && filling->used) {
        OWNED char *name = must(strndup(place, length));
        json_object_set_new(filling->used, name, json_true());
    }
    OWNED char *quoted = filling->fill == FILL_QUOTED ? must(words_quote(&text, 1)) : NULL;
    fputs(quoted ? quoted : text, stream);
    return true;
}

// Whether a place that is not an expression was to be one: it begins with a parameter and an
// operator.
static bool is_attempt(const struct filling *filling, const char *place, size_t length)
{
    size_t name = 0;
    while (name < length && (isalnum((unsigned char)place[name]) || place[name] == '_'))
        name++;
    size_t sign = name;
    while (sign < length && place[sign] == ' ')
        sign++;
    return json_at(filling->values, place, name) && sign < length &&
           memchr("+-*/%<>=!&|", place[sign], sizeof "+-*/%<>=!&|" - 1);
}

// Braces are many things to shells, regular expressions and JSON: a placeholder is what can be read
// as an expression with a name in it, and is no ${NAME...} of a shell.
static bool put_place(FILE *stream, const char *place, size_t length, void *context)
{
    const struct filling *filling = context;
    const struct expression_names names = {.values = filling->values, .used = filling->used};
    const bool named = is_name(place, length);
    struct expression found;
    char text[EXPRESSION_TEXT];
    if (named && put_name(stream, filling, place, length))
        return true;
    if (named && is_node(filling, place, length))
        return false;
    const bool is_shells = place >= filling->text + 2 && place[-2] == '$';
    const enum expression_state state =
        is_shells && !named ? EXPRESSION_NONE : expression_find(&found, place, length, &names);
    if (state == EXPRESSION_GOOD && found.names > 0) {
        fputs(expression_text(found.value, text), stream);
        return true;
    }
    if (!is_shells && state == EXPRESSION_NONE && is_attempt(filling, place, length))
        config_refuse(
            filling->config, filling->entry, NULL,
            "{%.*s}: this is not an expression: write one such as {n*2}, or {{ for a brace",
            (int)length, place);
    if (named && filling->used)
        refuse_name(filling, place, length);
    if (!named && state == EXPRESSION_WRONG && found.names > 0)
        config_refuse(filling->config, filling->entry, NULL, "{%.*s}: %s, or write {{ for a brace",
                      (int)length, place, found.why);
    return false;
}

char *entry_fill(const struct config *config, const struct entry *entry, const char *text,
                 const json_t *values, const json_t *builtin, enum fill fill)
{
    struct filling filling = {config, entry, text, values, builtin, fill, NULL};
    return template_fill(text, BRACES_DOUBLED, put_place, &filling);
}

// ---- let and skip

// The value of an expression. Ends the program where it is none.
static double entry_value(const struct config *config, const struct entry *entry, const char *text,
                          const json_t *values, json_t *used)
{
    const struct expression_names names = {.values = values, .used = used};
    struct expression found;
    const enum expression_state state = expression_find(&found, text, strlen(text), &names);
    if (state == EXPRESSION_NONE)
        config_refuse(config, entry, NULL,
                      "%s is not an expression: write numbers, names and operators, such as "
                      "n * 2 or n > 4 && kind == 'write'",
                      text);
    if (state == EXPRESSION_WRONG)
        config_refuse(config, entry, NULL, "%s: %s", text, found.why);
    return found.value;
}

// NAME = EXPRESSION: the name, to be freed, and what follows.
static char *let_name(const struct config *config, const struct entry *entry, const char **rest)
{
    size_t length;
    *rest = expression_let(entry->value, &length);
    if (!*rest)
        config_refuse(config, entry, NULL,
                      "%s: write let = NAME = EXPRESSION, with the name in lower case",
                      entry->value);
    return must(strndup(entry->value, length));
}

static const struct entry *let_of(const struct config *config, const struct section *section,
                                  const char *name)
{
    const char *rest;
    for (size_t i = 0; i < section->count; i++) {
        if (strcmp(section->entries[i]->key, "let") != 0)
            continue;
        OWNED char *one = let_name(config, section->entries[i], &rest);
        if (strcmp(one, name) == 0)
            return section->entries[i];
    }
    return NULL;
}

static json_t *values_of(const struct config *config, const struct section *section,
                         const json_t *parameters, json_t *used)
{
    json_t *values = json_copy((json_t *)parameters);
    char text[EXPRESSION_TEXT];
    for (size_t i = 0; i < section->count; i++) {
        const struct entry *entry = section->entries[i];
        const char *rest;
        if (strcmp(entry->key, "let") != 0)
            continue;
        OWNED char *name = let_name(config, entry, &rest);
        if (json_object_get(values, name))
            config_refuse(config, entry, NULL, "%s has values already: choose another name", name);
        const double value = entry_value(config, entry, rest, values, used);
        json_object_set_new(values, name, json_string(expression_text(value, text)));
    }
    return values;
}

json_t *section_values(const struct config *config, const struct section *section,
                       const json_t *parameters)
{
    return values_of(config, section, parameters, NULL);
}

static bool skips(const struct config *config, const struct section *section, const json_t *values,
                  json_t *used)
{
    bool skip = false;
    for (size_t i = 0; i < section->count; i++)
        if (strcmp(section->entries[i]->key, "skip") == 0)
            skip = entry_value(config, section->entries[i], section->entries[i]->value, values,
                               used) != 0 ||
                   skip;
    return skip;
}

bool section_skips(const struct config *config, const struct section *section, const json_t *values)
{
    return skips(config, section, values, NULL);
}

// ---- what is to be refused before anything is filled in

void section_check_placeholders(const struct config *config, const struct section *section,
                                const json_t *parameters, const json_t *builtin)
{
    json_auto_t *used = json_object(), *values = values_of(config, section, parameters, used);
    json_t *value;
    const char *name, *const text = strcmp(section->kind, "target") == 0 ? "command" : "spec";
    (void)skips(config, section, values, used);
    for (size_t i = 0; i < section->count; i++) {
        const struct entry *entry = section->entries[i];
        struct filling filling = {config, entry, entry->value, values, builtin, FILL_PLAIN, used};
        if (strcmp(entry->key, "command") != 0 && strcmp(entry->key, "spec") != 0 &&
            !section_sets(section, entry))
            continue;
        free(template_fill(entry->value, BRACES_DOUBLED, put_place, &filling));
    }
    json_object_foreach(values, name, value)
    {
        const struct entry *entry = section_entry(section, name);
        if (json_object_get(used, name))
            continue;
        entry = entry ? entry : let_of(config, section, name);
        config_refuse(config, entry ? entry : section_entry(section, "case"), NULL,
                      "%s is used nowhere, and is no setting%s: use {%s} in %s, or remove it", name,
                      section_hint(section->kind, name).text, name, text);
    }
}

// The half of a cell that is a load, or none.

#include "halves.h"

#include "common/memory.h"
#include "common/text.h"

#include <string.h>

#define CONDITION_CHARACTERS LETTERS "._%-"

// "", or "@" and where the load runs.
static char *load_node(const struct half_context *context, const struct section *section)
{
    const struct entry *entry = section_entry(section, "node");
    if (!entry)
        return must(strdup(""));
    const size_t digits = strspn(entry->value, "0123456789");
    if (strcmp(entry->value, "all-others") != 0 &&
        (entry->value[0] == '0' || digits == 0 || entry->value[digits] != '\0'))
        config_refuse(context->config, entry, NULL,
                      "%s is not a node: give a number of a node from 1 on, or all-others",
                      entry->value);
    return text_of("@%s", entry->value);
}

// What cells have of their load, or of none: node and spec are "" and NULL then.
static json_t *load_members(const struct half *half, const char *condition, const char *node,
                            const char *spec)
{
    return json_pack("{ss? so sO ss ss ss?}", "load", half->name, "level",
                     json_member(half->parameters, "level"), "load_parameters", half->parameters,
                     "condition", condition, "node", node, "spec", spec);
}

static void complete_load(const struct half_context *context, struct half *half,
                          const struct entry *spec)
{
    json_t *parameters = half->parameters;
    OWNED char *text =
        entry_fill(context->config, spec, spec->value, half->values, NULL, FILL_QUOTED);
    OWNED char *filled =
        entry_fill(context->config, spec, spec->value, half->values, context->builtin, FILL_QUOTED);
    OWNED char *node = load_node(context, half->section);
    OWNED char *condition = half_name(half->name, parameters, false, "-", CONDITION_CHARACTERS);
    json_auto_t *own = half_settings(context, half->section, half->values, context->self);
    half->part = half_name(half->name, parameters, false, ".", NAME_CHARACTERS);
    // Names that the records have already.
    if (strcmp(condition, "baseline") == 0 || strcmp(condition, "aa") == 0)
        condition = text_joined(condition, "-", "load");
    half->members = load_members(half, condition, node, filled);
    half_set_key(half,
                 json_pack("[ssOso]", half->name, node, parameters, text, settings_fixed(own)));
}

struct halves halves_of_loads(const struct half_context *context, const struct sections *loads)
{
    static const struct half_kind kind = {
        "spec", "a loadgen command line, such as cpu --percent 50", NULL, complete_load};
    struct halves halves = halves_of(context, loads, &kind);
    struct half none = {
        .parameters = json_object(), .values = json_object(), .settings = json_object()};
    none.members = load_members(&none, "baseline", "", NULL);
    half_set_key(&none, json_pack("[nsOn{}]", "", none.parameters));
    MORE(&halves) = none;
    return halves;
}

// schemas: prints the names of the records that are tables (common/record.h).
// schemas NAME: prints the JSON Schema of that record, as results/schema has it.

#include "common/memory.h"
#include "common/record.h"

#include <stdio.h>
#include <string.h>

static json_t *new_object(void)
{
    return must(json_pack("{s:s, s:[], s:b, s:{}}", "type", "object", "required",
                          "additionalProperties", 0, "properties"));
}

static json_t *one_type(const struct field *field, const char *type)
{
    json_t *either =
        field->required ? must(json_string(type)) : must(json_pack("[s, s]", type, "null"));
    json_t *schema = must(json_pack("{s:o}", "type", either));
    if (field->above != 0)
        json_put(schema, "exclusiveMinimum", json_number(field->above));
    if (field->from != 0)
        json_put(schema, "minimum", json_number(field->from));
    if (field->to != 0)
        json_put(schema, "maximum", json_number(field->to));
    return schema;
}

static json_t *names_schema(const struct field *field)
{
    json_t *list = must(json_array());
    for (size_t i = 0; field->names[i] != NULL; i++)
        json_add(list, json_text(field->names[i]));
    return must(json_pack("{s:o}", "enum", list));
}

static json_t *object_schema(const struct field *fields);

static json_t *value_schema(const struct field *field)
{
    switch (field->kind) {
    case FIELD_TEXT:
    case FIELD_STRING:
        return one_type(field, "string");
    case FIELD_NUMBER:
    case FIELD_FIGURE:
    case FIELD_SECONDS:
        return one_type(field, "number");
    case FIELD_COUNT:
        return must(json_pack("{s:s, s:f}", "type", "integer", "minimum", field->from));
    case FIELD_INTEGER:
        return must(json_pack("{s:s}", "type", "integer"));
    case FIELD_FLAG:
        return must(json_pack("{s:s}", "type", "boolean"));
    case FIELD_CHOICE:
        return names_schema(field);
    case FIELD_BOUNDS:
        return must(json_pack("{s:[s, s], s:{s:s}, s:i, s:i}", "type", "array", "null", "items",
                              "type", "number", "minItems", 2, "maxItems", 2));
    case FIELD_OBJECT:
        return object_schema(field->fields);
    case FIELD_LIST:
        return must(json_pack("{s:s, s:o, s:I}", "type", "array", "items",
                              object_schema(field->fields), "maxItems", (json_int_t)field->most));
    case FIELD_JSON:
        return must(json_object());
    case FIELD_SCHEMA:
        break;
    }
    return must(json_pack("{s:s}", "const", field->about));
}

static void add_to_schema(json_t *schema, const struct field *field, const char *key)
{
    const char *point = strchr(key, '.');
    const size_t length = point != NULL ? (size_t)(point - key) : strlen(key);
    char *name = must(strndup(key, length));
    json_t *properties = json_object_get(schema, "properties");
    json_t *value = json_object_get(properties, name);
    if (value == NULL) {
        value = point != NULL ? new_object() : value_schema(field);
        json_put(properties, name, value);
        if (point != NULL || !field->left_out)
            json_add(json_object_get(schema, "required"), json_text(name));
    }
    if (point != NULL)
        add_to_schema(value, field, point + 1);
    else if (field->about != NULL && field->kind != FIELD_SCHEMA)
        json_put(value, "description", json_text(field->about));
    free(name);
}

static json_t *object_schema(const struct field *fields)
{
    json_t *schema = new_object();
    for (const struct field *field = fields; field->key != NULL; field++)
        add_to_schema(schema, field, field->key);
    return schema;
}

// The JSON Schema (draft 7) of a record of that title, a new reference.
static json_t *record_schema(const struct field *fields, const char *title)
{
    json_t *schema = must(json_pack("{s:s, s:s}", "$schema",
                                    "http://json-schema.org/draft-07/schema#", "title", title));
    json_t *object = object_schema(fields);
    if (json_object_update(schema, object) != 0)
        must(NULL);
    json_decref(object);
    return schema;
}

static const struct {
    const char *name, *title;
    const struct field *fields;
} records[] = {
    {NULL, NULL, NULL},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; records[i].name != NULL; i++) {
        if (argc < 2)
            puts(records[i].name);
        else if (strcmp(records[i].name, argv[1]) == 0)
            return json_dumpf(record_schema(records[i].fields, records[i].title), stdout,
                              JSON_INDENT(2)) == 0
                       ? 0
                       : 1;
    }
    return argc < 2 ? 0 : 2;
}

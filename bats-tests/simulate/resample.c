#include "population.h"

#include "common/file.h"
#include "common/messages.h"
#include "common/record_json.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_VALUES = 20 };

struct values {
    double *value;
    size_t count;
    char *condition; // of the first record
};

static bool append(struct values *values, const json_t *record)
{
    const char *condition = json_string_value(json_object_get(record, "condition"));
    const json_t *wall = json_object_get(record, "wall_s");
    const json_t *code = json_object_get(record, "exit_code");
    if (!json_is_number(wall) || json_number_value(wall) <= 0 || json_integer_value(code) != 0)
        return true;
    if (!values->condition && !(values->condition = strdup(condition ? condition : "")))
        return false;
    if (strcmp(values->condition, condition ? condition : "") != 0)
        return true;
    double *value = realloc(values->value, (values->count + 1) * sizeof *value);
    if (!value)
        return false;
    value[values->count++] = json_number_value(wall);
    values->value = value;
    return true;
}

static bool read_all(FILE *file, struct values *values)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    bool good = true;
    while (good && (length = getline(&line, &size, file)) >= 0) {
        json_t *record = json_read_line(line, (size_t)length);
        good = !record || append(values, record);
        json_decref(record);
    }
    free(line);
    return good;
}

static double mean_of(const struct values *values)
{
    double sum = 0;
    for (size_t i = 0; i < values->count; i++)
        sum += values->value[i];
    return sum / (double)values->count;
}

// The folder of the file says best what was measured: runs.jsonl is the name of all.
static char *name_of(const char *path)
{
    char *name = NULL, *copy = realpath(path, NULL), *file = copy ? strrchr(copy, '/') : NULL;
    if (file)
        *file = '\0';
    const char *folder = copy ? strrchr(copy, '/') : NULL;
    if (asprintf(&name, "runs:%s", folder ? folder + 1 : path) < 0)
        name = NULL;
    free(copy);
    return name;
}

bool resample_read(const char *path, struct population *population)
{
    struct values values = {0};
    FILE *file = file_open_record(path);
    bool good = file && read_all(file, &values);
    char *name = NULL;
    if (file)
        fclose(file);
    if (good && values.count >= LEAST_VALUES)
        good = (name = name_of(path)) != NULL;
    free(values.condition);
    if (!good || values.count < LEAST_VALUES) {
        complain("simulate: %s: give a readable runs.jsonl with at least %d runs of its first "
                 "condition",
                 path, LEAST_VALUES);
        free(values.value);
        return false;
    }
    const double mean = mean_of(&values);
    for (size_t i = 0; i < values.count; i++)
        values.value[i] /= mean;
    *population = (struct population){
        .name = name, .shape = RESAMPLED, .values = values.value, .count = values.count};
    population->cv = population_cv(population, false);
    return true;
}

// What the conductor says to bash and to people: answers, failures, warnings.

#include "conduct.h"

#include "harness/stats/json.h"
#include "harness/stats/messages.h"

#include "common/memory.h"
#include "common/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool conduct_answer(struct conduct *conduct, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const bool good = vfprintf(conduct->output, format, arguments) >= 0;
    va_end(arguments);
    return good && fputc('\n', conduct->output) != EOF && fflush(conduct->output) == 0;
}

char *conduct_one_field(char *text)
{
    for (char *at = text; *at; at++)
        *at = (unsigned char)*at < ' ' ? ' ' : *at;
    return text;
}

bool conduct_fail(struct conduct *conduct, const char *source, const char *text)
{
    OWNED char *line = conduct_one_field(must(strdup(text)));
    const bool good = conduct_answer(conduct, "failed\t%s\t%s", source, line);
    conduct->making.is_over = true;
    return good;
}

bool conduct_write_experiment(const struct conduct *conduct)
{
    OWNED char *path = folder_file(&conduct->folder, EXPERIMENT_FILE);
    return output_document(conduct->experiment.json, path);
}

void conduct_warn(struct conduct *conduct, const struct source *source, const char *text)
{
    const struct settings *settings = &conduct->experiment.settings;
    const bool is_load = source && strcmp(source->id, "service") != 0;
    // A load of a condition with settings says what they do to it.
    for (size_t i = 0; i < settings->condition_count && is_load && source->condition; i++) {
        const char *load = experiment_member(&conduct->experiment, i, "load");
        if (load && settings->adjusted[i] && strcmp(load, source->condition) == 0)
            return;
    }
    json_t *warning = json_pack("{s:s?, s:s?, s:s}", "load", is_load ? source->name : NULL,
                                "condition", is_load ? source->condition : NULL, "text", text);
    const bool is_new = warning && json_add_once(conduct->warnings, warning);
    json_decref(warning);
    if (!is_new || !source || (is_load && is_of_calibration(text)))
        return; // the harness prints its own
    if (is_load)
        complain("load %s: %s", source->name, text);
    else
        complain("%s", text);
}

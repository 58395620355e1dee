#include "hub.h"

#include "common/messages.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool hub_answer(struct hub *hub, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const bool good = vfprintf(hub->output, format, arguments) >= 0;
    va_end(arguments);
    return good && fputc('\n', hub->output) != EOF && fflush(hub->output) == 0;
}

bool hub_fail(struct hub *hub, const char *source, const char *text)
{
    // An answer is one line.
    char *line = strdup(text ? text : "");
    for (char *at = line; at && *at; at++)
        if (*at == '\n' || *at == '\t')
            *at = ' ';
    const bool good = hub_answer(hub, "failed\t%s\t%s", source, line ? line : "");
    free(line);
    hub->await = false;
    return good;
}

bool hub_has_warning(const json_t *warnings, const json_t *warning)
{
    for (size_t i = 0; i < json_array_size(warnings); i++)
        if (json_equal(json_array_get(warnings, i), warning))
            return true;
    return false;
}

void hub_warn(struct hub *hub, const struct source *source, const char *text)
{
    const bool is_load = source && strcmp(source->id, "service") != 0;
    json_t *warning = json_pack("{s:s?, s:s?, s:s}", "load", is_load ? source->name : NULL,
                                "condition", is_load ? source->condition : NULL, "text", text);
    if (!warning || hub_has_warning(hub->warnings, warning)) {
        json_decref(warning);
        return;
    }
    json_array_append_new(hub->warnings, warning);
    if (is_load)
        complain("load %s: %s", source->name, text);
    else if (source) // the harness prints its own
        complain("%s", text);
}

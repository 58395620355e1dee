// Makes warnings of the cases of flags.h: their severity, their words, and what to do.
#include "messages.h"

#include "objective.h"
#include "settings.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/template.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// `problem`: do not trust the figure; `note`: good to know.
enum severity {
    NOTE,
    PROBLEM,
    // A problem where it could move a figure by more than was asked (message.matters).
    PROBLEM_THAT_MATTERS,
    // The same of what happened to some runs. It comes to both sides of pairs in random order, and
    // biases no ratio.
    PROBLEM_OF_SOME,
};

struct warning_case {
    const char *name;
    enum severity severity;
    const char *words;
    const char *advice;
    enum bias bias; // of a PROBLEM: one biases unless its row says that it does not
};

static const struct warning_case cases[FLAGS] = {
#define FLAG(name, ...) [FLAG_##name] = {__VA_ARGS__},
#include "flags.h"
#undef FLAG
};

const char *flag_name(enum flag flag)
{
    return cases[flag].name;
}

bool is_of_calibration(const char *warning)
{
    return strstr(warning, "calibrat") != NULL;
}

bool is_of_others(const char *warning)
{
    return strstr(warning, "while other programs used") != NULL ||
           strstr(warning, "other programs use it too") != NULL;
}

struct message message_about(const struct settings *settings, enum flag flag, size_t condition,
                             size_t metric)
{
    return (struct message){.flag = flag,
                            .condition = settings->conditions[condition],
                            .metric =
                                metric < MAX_METRICS ? settings->metrics.item[metric].name : NULL};
}

void message_detail(struct message *message, const char *name, const char *format, ...)
{
    va_list arguments;
    if (message->details == MESSAGE_DETAILS)
        return;
    va_start(arguments, format);
    message->detail[message->details].name = name;
    const int length = vasprintf(&message->detail[message->details++].text, format, arguments);
    va_end(arguments);
    if (length < 0)
        must(NULL);
}

void message_run(struct message *message, size_t order)
{
    if (!message->runs)
        message->runs = must(json_array());
    json_array_append_new(message->runs, json_integer((json_int_t)order));
}

// What a {name} of the words stands for; nothing, where the message has no such detail.
static bool put_detail(FILE *stream, const char *name, size_t length, void *context)
{
    const struct message *message = context;
    for (size_t i = 0; i < message->details; i++) {
        if (strlen(message->detail[i].name) != length ||
            strncmp(message->detail[i].name, name, length) != 0)
            continue;
        fputs(message->detail[i].text, stream);
        break;
    }
    return true;
}

static char *fill(struct message *message, const char *words)
{
    return template_fill(words, BRACES_ALONE, put_detail, message);
}

static bool is_problem(const struct message *message)
{
    const enum severity severity = cases[message->flag].severity;
    return severity == PROBLEM || (severity != NOTE && message->matters);
}

static void free_details(struct message *message)
{
    for (size_t i = 0; i < message->details; i++)
        free(message->detail[i].text);
    message->details = 0;
}

void message_add(json_t *warnings, struct message *message)
{
    const struct warning_case *one = &cases[message->flag];
    const bool problem = is_problem(message), biases = problem && one->severity != PROBLEM_OF_SOME;
    const char *severity = problem && !message->follows ? "problem" : "note";
    const enum bias bias = message->bias != BIAS_ANY ? message->bias : one->bias;
    message_detail(message, "few", "%zu", json_array_size(message->runs));
    message_detail(message, "all", "%zu", message->of_runs);
    OWNED char *words = fill(message, one->words), *advice = fill(message, one->advice);
    json_array_append_new(warnings,
                          json_pack("{s:s, s:s, s:s?, s:s?, s:o, s:o, s:o, s:s?}", "flag",
                                    one->name, "severity", severity, "condition",
                                    message->condition, "metric", message->metric, "message",
                                    text_to_json(words), "advice", text_to_json(advice), "runs",
                                    message->runs ? message->runs : json_array(), "bias",
                                    biases ? bias_names[bias] : NULL));
    free_details(message);
}

void message_add_some(json_t *warnings, struct message *message)
{
    if (message->runs)
        message_add(warnings, message);
    else
        free_details(message);
}

// decide: the decisions of stats, for records of your own: records in on standard input, what to
// run next out on standard output, and a summary at the end.

#include "arguments.h"

#include "common/messages.h"
#include "harness/stats/decide.h"
#include "harness/stats/json.h"
#include "harness/stats/result.h"
#include "harness/stats/session.h"
#include "harness/stats/verdicts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct dialogue {
    const struct arguments *command;
    struct session session;
    size_t line;    // number of the current one
    size_t washed;  // washout runs that the last answer asked for
    bool stopped;   // a stop was answered in this experiment
    bool has_lines; // anything came since the experiment began
};

static bool fail(const char *what, const char *advice)
{
    return complain("decide: %s: %s", what, advice);
}

static bool answer(struct dialogue *dialogue)
{
    struct decision decision = decide(&dialogue->session);
    char error[32] = "-", more[32] = "-";
    dialogue->stopped = dialogue->stopped || decision.stop != STOP_NOT;
    dialogue->washed = decision.washed;
    if (dialogue->command->summary_only)
        return true;
    if (isfinite(decision.worst_error))
        snprintf(error, sizeof error, "%.6g", decision.worst_error);
    if (decision.more >= 0)
        snprintf(more, sizeof more, "%ld", decision.more);
    if (decision.stop != STOP_NOT)
        fprintf(stdout, "stop\t%s\t-\t-\t%s\t0\n", stop_names[decision.stop], error);
    else if (decision.washout == WASHOUT_PAUSE)
        fprintf(stdout, "pause\t%.6f\t-\t-\t%s\t%s\n", dialogue->command->settings.washout.pause_s,
                error, more);
    else if (decision.washout == WASHOUT_RUN)
        fprintf(stdout, "washout\t%s\t0\t0\t%s\t%s\n", dialogue->command->settings.conditions[0],
                error, more);
    else
        fprintf(stdout, "run\t%s\t%zu\t%zu\t%s\t%s\n",
                dialogue->command->settings.conditions[decision.condition], decision.block,
                decision.order, error, more);
    return fflush(stdout) == 0 || fail("the answer cannot be written", "check standard output");
}

static bool finish(struct dialogue *dialogue)
{
    if (!dialogue->command->summary)
        return true;
    json_t *summary = summary_build(&dialogue->session);
    verdicts_add(&dialogue->session, summary);
    undecided_add(&dialogue->session, summary);
    bool good = output_json(summary, dialogue->command->summary, stdout);
    json_decref(summary);
    return good;
}

static void take_record(struct dialogue *dialogue, const char *line)
{
    char why[256];
    json_error_t error;
    json_t *record = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    if (!record)
        snprintf(why, sizeof why, "it is no JSON object: %s", error.text);
    if (json_is_object(record) && !json_object_get(record, "washout_runs"))
        json_object_set_new(record, "washout_runs", json_integer((json_int_t)dialogue->washed));
    if (!record || !replay_take(&dialogue->session, record, why, sizeof why))
        complain("line %zu of the records is set aside: %s", dialogue->line, why);
    json_decref(record);
}

static bool begin_next(struct dialogue *dialogue)
{
    if (!finish(dialogue))
        return false;
    session_free(&dialogue->session);
    session_init(&dialogue->session, &dialogue->command->settings);
    dialogue->stopped = dialogue->has_lines = false;
    return answer(dialogue);
}

// False ends the dialogue; *good is false if it failed.
static bool take_line(struct dialogue *dialogue, char *line, bool *good)
{
    line[strcspn(line, "\r\n")] = '\0';
    dialogue->line++;
    if (line[0] == '\0')
        return true;
    if (strcmp(line, "next") == 0)
        return *good = begin_next(dialogue);
    dialogue->has_lines = true;
    if (strcmp(line, "stop") == 0 || strncmp(line, "stop ", 5) == 0) {
        dialogue->session.outside = stop_reason(line[4] ? line + 5 : "");
        *good = answer(dialogue);
        return false;
    }
    if (dialogue->stopped && dialogue->command->first_stop)
        return true;
    if (strcmp(line, "rested") == 0) {
        dialogue->session.rested = true;
        return *good = answer(dialogue);
    }
    take_record(dialogue, line);
    return *good = answer(dialogue);
}

static int converse(const struct arguments *command)
{
    struct dialogue dialogue = {.command = command};
    char *line = NULL;
    size_t size = 0;
    bool experiments = false;
    session_init(&dialogue.session, &command->settings);
    bool good = answer(&dialogue);
    while (good && getline(&line, &size, stdin) >= 0) {
        experiments = experiments || strncmp(line, "next", 4) == 0;
        if (!take_line(&dialogue, line, &good))
            break;
    }
    if (good && ferror(stdin))
        good = fail("the records cannot be read", "check standard input");
    // After a last `next` there is no experiment left to sum up.
    if (good && (dialogue.has_lines || !experiments))
        good = finish(&dialogue);
    free(line);
    session_free(&dialogue.session);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    streams_open();
    struct arguments arguments;
    decide_arguments_parse(&arguments, argc, argv);
    const int code = converse(&arguments);
    arguments_free(&arguments);
    return code;
}

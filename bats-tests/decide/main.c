// decide: the decisions of stats, for records of your own: records in on standard input, what to
// run next out on standard output, and a summary at the end.

#include "arguments.h"

#include "common/file.h"
#include "common/messages.h"
#include "harness/stats/decide.h"
#include "harness/stats/gate.h"
#include "harness/stats/output.h"
#include "harness/stats/summary.h"

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
    if (!summary)
        return fail("no memory for the summary", "measure fewer runs");
    verdicts_add(&dialogue->session, summary);
    bool good = output_json(summary, dialogue->command->summary, stdout);
    json_decref(summary);
    return good;
}

static void set_aside(const struct dialogue *dialogue, const char *why)
{
    complain("line %zu of the records is set aside: %s", dialogue->line, why);
}

static bool take_record(struct dialogue *dialogue, const char *line)
{
    struct session *session = &dialogue->session;
    struct observation run;
    json_t *record = NULL;
    char why[256];
    enum record_status status =
        record_parse(session->settings, line, &run, &record, why, sizeof why);
    if (status != RECORD_OK) {
        if (status == RECORD_WARM_UP || status == RECORD_SET_ASIDE)
            session_note(session, &run);
        if (status == RECORD_SET_ASIDE)
            session_add_set_aside(session, &run);
        else if (status != RECORD_WARM_UP)
            set_aside(dialogue, why);
        json_decref(record);
        return true;
    }
    if (!json_object_get(record, "washout_runs"))
        run.washed = dialogue->washed;
    enum session_add added = session_add(session, &run);
    bool good = added != SESSION_NO_MEMORY;
    if (added == SESSION_DUPLICATE)
        set_aside(dialogue, "its block has this condition already, or is far ahead of the others");
    else if (good)
        good = session_add_loads(session, &run, record);
    json_decref(record);
    return good || fail("no memory for one more run", "lower --max-runs");
}

static bool begin_next(struct dialogue *dialogue)
{
    if (!finish(dialogue))
        return false;
    session_clear(&dialogue->session);
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
        session_rest(&dialogue->session);
        return *good = answer(dialogue);
    }
    *good = take_record(dialogue, line) && answer(dialogue);
    return *good;
}

static int converse(const struct arguments *command)
{
    struct dialogue dialogue = {.command = command};
    char *line = NULL;
    size_t size = 0;
    bool experiments = false, good = session_init(&dialogue.session, &command->settings);
    if (!good)
        fail("no memory", "free some");
    good = good && answer(&dialogue);
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
    arguments_parse(&arguments, argc, argv);
    const int code = converse(&arguments);
    arguments_free(&arguments);
    return code;
}

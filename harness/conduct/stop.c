// Why no run follows: what ended the experiment, and of a run that failed how, and what to do, in
// words.

#include "conduct.h"

#include "harness/stats/json.h"
#include "harness/stats/result.h"
#include "harness/stats/verdicts.h"

#include "common/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// By the terminal, which is what a start error of a target that ran says.
static bool is_stopped(const json_t *record)
{
    return judge_failure(record) == FAILURE_NOT_STARTED && json_number_at(record, "stops") > 0;
}

static const char *failure_part(const json_t *record, const char *name)
{
    const char *text = json_text_at(json_object_get(record, "metric_failure"), name);
    return text ? text : "?";
}

// How to go on, in the words of the command that people gave: a cell is measured by a campaign.
struct again {
    const char *resume, *ignore, *prepare;
};
static const struct again again_alone = {"--resume", "--ignore-failure", "--prepare 'rm -f FILE'"},
                          again_cell = {"--retry-failed", "ignore-failure = true",
                                        "prepare = rm -f FILE"};

static char *advice_on_metric(const json_t *record, const char *folder, const struct again *again)
{
    // Where the output of a run without its figure is kept: the stream that the reason names, or
    // stdout. NULL: nowhere.
    const bool is_stderr = strstr(failure_part(record, "reason"), "stderr") != NULL;
    const char *kept =
        json_text_at(json_object_get(record, "output"), is_stderr ? "stderr" : "stdout");
    const struct builtin_metric *builtin = builtin_metric(failure_part(record, "metric"));
    if (builtin && builtin->without_wait)
        return text_of("leave it out of --metric: wall_s and cpu_s are known of every run");
    if (builtin)
        return text_of("leave it out of --metric, or measure as root or on another machine");
    OWNED char *see = kept ? text_of("see %s/%s: ", folder, kept) : must(strdup(""));
    return text_of("%sfix the command and continue with %s, or the definition and start again; "
                   "with %s such a run's other figures count",
                   see, again->resume, again->ignore);
}

// is_first: no run has succeeded before, or something prepares each.
static char *advice_text(const json_t *record, const char *folder, const struct again *again,
                         bool is_first)
{
    const struct ignored all = {.any = true};
    if (judge_failure(record) == FAILURE_METRIC)
        return advice_on_metric(record, folder, again);
    if (judge_failure(record) == FAILURE_SERVICE)
        return text_of(
            "what it wrote is in service.stderr and service.stdout; fix it and continue with %s",
            again->resume);
    if (is_stopped(record))
        return text_of("a program that is measured cannot use the terminal: give its input with "
                       "--input FILE, and continue with %s",
                       again->resume);
    if (judge_failure(record) == FAILURE_MEMORY)
        return text_of(
            "raise the memory limit of the cgroup or job, or use a smaller input or load, "
            "and continue with %s",
            again->resume);
    if (!is_first && judge_failure(record) == FAILURE_EXIT)
        return text_of("runs before succeeded: if they leave something, remove it before each with "
                       "%s; else fix it and continue with %s, or start again with %s",
                       again->prepare, again->resume, again->ignore);
    if (judge_counts(record, &all))
        return text_of("fix it and continue with %s, or start again with %s", again->resume,
                       again->ignore);
    return text_of("check the command, and continue with %s", again->resume);
}

static bool failure_say(struct conduct *conduct)
{
    const json_t *record = conduct->course.last, *experiment = conduct->experiment.json;
    const bool is_cell = json_is_object(json_object_get(experiment, "cell"));
    const bool is_first = !(json_number_at(record, "order") > 1) ||
                          json_has(json_object_get(experiment, "settings"), "prepare");
    // What the target printed, and a path, may have any character.
    OWNED char *text = conduct_one_field(judge_failure_text(record));
    OWNED char *advice = conduct_one_field(
        advice_text(record, conduct->folder.path, is_cell ? &again_cell : &again_alone, is_first));
    const int condition =
        settings_condition(&conduct->experiment.settings, json_text_or_empty(record, "condition"));
    return conduct_answer(conduct, "stop\t%s\t%zu\t%s\t%s\t%s\t%" PRId64, stop_names[STOP_FAILURE],
                          conduct->making.runs, text, advice,
                          judge_failure(record) == FAILURE_SERVICE ? "service" : "target",
                          condition >= 0 ? conduct->part[condition].variant : 0);
}

bool stop_say(struct conduct *conduct)
{
    const enum stop_reason stop = conduct->course.next.stop;
    if (stop == STOP_FAILURE && conduct->course.last)
        return failure_say(conduct);
    // Where nothing is left to measure, nobody asks for the result again.
    json_auto_t *result = settings_has_gate(&conduct->experiment.settings)
                              ? result_build(&conduct->course.session)
                              : NULL;
    return conduct_answer(conduct, "stop\t%s\t%zu\t%s", stop_names[stop], conduct->making.runs,
                          verdicts_word(result));
}

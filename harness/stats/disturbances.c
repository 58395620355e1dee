#include "result.h"

#include "messages.h"
#include "shares.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The runs of one condition that figures are made of, and the records have that flag for; or that
// left survivors: children that were cut off, so that their work is in no figure.
static void add_disturbed(const struct session *session, size_t condition, enum flag flag,
                          json_t *warnings)
{
    const json_int_t left_out = (json_int_t)session_left_out(session);
    struct message message = {.flag = flag, .condition = session->settings->conditions[condition]};
    double most = 0;
    for (size_t i = 0; i < session->fact_count; i++) {
        const struct facts *facts = &session->facts[i];
        if (facts->condition != (int)condition || facts->block <= left_out)
            continue;
        message.of_runs++;
        if (flag == FLAG_SURVIVORS ? facts->survivors > 0
                                   : facts->disturbed & 1U << (flag - FLAG_STEAL))
            message_run(&message, (size_t)facts->order);
        most = fmax(most, facts->survivors);
    }
    if (flag == FLAG_SURVIVORS)
        message_detail(&message, "most", "%.0f", most);
    message_add_some(warnings, &message);
}

// "a, b, c", to be freed.
static char *joined(const json_t *strings)
{
    char *text = must(strdup(""));
    for (size_t i = 0; i < json_array_size(strings); i++)
        text = text_joined(text, ", ", json_string_value(json_array_get(strings, i)));
    return text;
}

static const json_t *jobs_of(const json_t *counters)
{
    return json_object_get(json_object_get(counters, "neighbours"), "jobs");
}

// Who came later has no run's flag: who is there at the end is found here.
static void add_late(const struct experiment *experiment, json_t *warnings)
{
    const json_t *late = jobs_of(json_object_get(experiment->json, "after"));
    const json_t *early = jobs_of(json_object_get(experiment->json, "before"));
    if (json_array_size(late) == 0 || json_array_size(early) > 0)
        return;
    struct message message = {.flag = FLAG_SHARED_LATER};
    OWNED char *jobs = joined(late);
    message_detail(&message, "jobs", "%s", jobs);
    message_add(warnings, &message);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// The names of all hosts, sorted; to be freed.
static char *hosts_text(json_t *hosts)
{
    const char **names = must(calloc(json_object_size(hosts) + 1, sizeof *names)), *name;
    char *text = must(strdup(""));
    json_t *value;
    size_t count = 0;
    json_object_foreach(hosts, name, value) names[count++] = name;
    qsort(names, count, sizeof *names, by_text);
    for (size_t i = 0; i < count; i++)
        text = text_joined(text, ", ", names[i]);
    free(names);
    return text;
}

static void add_hosts(const struct session *session, json_t *warnings)
{
    const json_t *resumed = json_object_get(session->experiment->json, "resumed");
    if (json_array_size(resumed) == 0 || json_object_size(session->hosts) < 2)
        return;
    struct message message = {.flag = FLAG_SEVERAL_HOSTS};
    OWNED char *names = hosts_text(session->hosts);
    message_detail(&message, "hosts", "%s", names);
    message_add(warnings, &message);
}

// Before what moment nothing is of the last run of each condition: the earliest of their starts
// in the records from `first` to `end`. "": there are none.
static const char *last_starts(const struct session *session, size_t first, size_t end)
{
    const char *earliest = "";
    for (size_t c = 0; c < session->settings->condition_count; c++) {
        const char *last = "";
        for (size_t i = first; i < end && i < session->fact_count; i++)
            if (session->facts[i].condition == (int)c)
                last = session->facts[i].start;
        if (*last != '\0' && (*earliest == '\0' || strcmp(last, earliest) < 0))
            earliest = last;
    }
    return earliest;
}

// A change as late as the last runs is their own: the target writes the file, in each of them.
// The kernel's clock for files, and --prepare, are a little ahead of them.
static bool is_of_target(const json_t *file, const char *last)
{
    const json_int_t own_ns = 1000000000;
    const json_int_t ns =
        json_integer_value(json_object_get(json_object_get(file, "end"), "mtime_ns")) + own_ns;
    char seconds[DATE_SIZE], text[DATE_SIZE + 16];
    snprintf(text, sizeof text, "%.19s.%09lldZ", date_utc((time_t)(ns / 1000000000), seconds),
             (long long)(ns % 1000000000));
    return strcmp(text, last) >= 0;
}

// Which inputs of a session, whose records are from `first` to `end`, changed under it.
static void add_meanwhile(const struct session *session, const json_t *part, size_t first,
                          size_t end, json_t *warnings)
{
    const char *last = last_starts(session, first, end);
    const json_t *inputs = json_object_get(part, "inputs");
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        const json_t *file = json_array_get(inputs, i);
        struct message message = {.flag = FLAG_CHANGED_MEANWHILE};
        if (!changes_in_session(file) || is_of_target(file, last))
            continue;
        message_detail(&message, "changes", "input %s", json_text_or_empty(file, "word"));
        message_add(warnings, &message);
    }
}

// What one session recorded that another did not find, before it continued.
static void add_change(const json_t *before, const json_t *after, json_t *warnings)
{
    json_t *changes = json_array();
    const json_t *variants = json_object_get(after, "variants");
    // Of revisions each session builds its own files.
    if (!json_is_object(json_object_get(json_array_get(variants, 0), "revision")))
        (void)changes_of_program(json_object_get(before, "program"),
                                 json_object_get(after, "program"), changes);
    changes_of_variants(json_object_get(before, "variants"), variants, changes);
    (void)changes_of_inputs(json_object_get(before, "inputs"), json_object_get(after, "inputs"),
                            changes);
    (void)changes_of_variables(json_object_get(before, "variables"),
                               json_object_get(after, "variables"), changes);
    OWNED char *text = changes_text(changes, "from", "to");
    if (text) {
        struct message message = {.flag = FLAG_CHANGED};
        const double runs = json_number_at(after, "runs");
        message_detail(&message, "few", "%.0f run%s", runs, runs == 1 ? "" : "s");
        message_detail(&message, "changes", "%s", text);
        message_add(warnings, &message);
    }
    json_decref(changes);
}

// The program or a variable, between one session that made runs and the next that did:
// the first is the experiment's own, the others are in `resumed`.
static void add_changes(const struct session *session, json_t *warnings)
{
    const json_t *part = session->experiment->json, *before = NULL;
    const json_t *resumed = json_object_get(part, "resumed");
    double first = 0;
    for (size_t i = 0; part; i++) {
        const json_t *next = json_array_get(resumed, i);
        const double end = next ? json_number_at(next, "runs") : (double)session->fact_count;
        if (end > first) {
            add_meanwhile(session, part, (size_t)first, (size_t)end, warnings);
            if (before)
                add_change(before, part, warnings);
            before = part;
        }
        first = end;
        part = next;
    }
}

static void add_stdout(const struct experiment *experiment, json_t *warnings)
{
    const char *program = json_text_at(experiment->json, "knows_null");
    struct message message = {.flag = FLAG_STDOUT_NULL};
    if (!program)
        return;
    message_detail(&message, "program", "%s", program);
    message_add(warnings, &message);
}

// What loads and harness warned of while it was measured: {load, condition, text}
// each; load and condition are null where it was the harness.
static void add_kept(const struct experiment *experiment, json_t *warnings)
{
    const json_t *kept = json_object_get(experiment->json, "warnings");
    for (size_t i = 0; i < json_array_size(kept); i++) {
        const json_t *one = json_array_get(kept, i);
        const char *load = json_text_at(one, "load");
        const char *text = json_text_at(one, "text");
        struct message message = {.flag = load ? FLAG_LOAD_WARNING : FLAG_HARNESS_WARNING,
                                  .condition = json_text_at(one, "condition")};
        message_detail(&message, "load", "load %s", load ? load : "");
        message_detail(&message, "text", "%s", text ? text : "");
        message_add(warnings, &message);
    }
}

void disturbances_add(const struct session *session, json_t *warnings)
{
    const struct experiment *experiment = session->experiment;
    for (size_t i = 0; i < session->settings->condition_count; i++) {
        for (enum flag flag = FLAG_STEAL; flag <= FLAG_SHARED_NODE; flag++)
            add_disturbed(session, i, flag, warnings);
        add_disturbed(session, i, FLAG_SURVIVORS, warnings);
    }
    add_late(experiment, warnings);
    add_hosts(session, warnings);
    add_changes(session, warnings);
    add_stdout(experiment, warnings);
    add_kept(experiment, warnings);
}

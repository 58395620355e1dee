#include "result.h"

#include "messages.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_flag(const json_t *record, const char *name)
{
    const json_t *flags = json_object_get(record, "flags");
    for (size_t i = 0; i < json_array_size(flags); i++) {
        const char *flag = json_string_value(json_array_get(flags, i));
        if (flag && strcmp(flag, name) == 0)
            return true;
    }
    return false;
}

// The runs of one condition that figures are made of, and the records have that flag for; or that
// left survivors: children that were cut off, so that their work is in no figure.
static void add_disturbed(const json_t *records, size_t left_out, const char *condition,
                          enum flag flag, json_t *warnings)
{
    struct message message = {.flag = flag, .condition = condition};
    double most = 0;
    for (size_t i = 0; i < json_array_size(records); i++) {
        const json_t *record = json_array_get(records, i);
        const double survivors = json_number_at(record, "survivors");
        if (strcmp(json_text_or_empty(record, "condition"), condition) != 0 ||
            json_integer_value(json_object_get(record, "block")) <= (json_int_t)left_out)
            continue;
        message.of_runs++;
        if (flag == FLAG_SURVIVORS ? survivors > 0 : has_flag(record, flag_name(flag)))
            message_run(&message, (size_t)json_integer_value(json_object_get(record, "order")));
        most = fmax(most, survivors);
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

// A sorted array of the names of all hosts, each once.
static json_t *hosts_of(const json_t *records)
{
    const size_t count = json_array_size(records);
    const char **names = must(calloc(count + 1, sizeof *names));
    json_t *hosts = json_array();
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        const char *host = json_text_at(json_array_get(records, i), "host");
        if (host)
            names[known++] = host;
    }
    if (known > 0)
        qsort(names, known, sizeof *names, by_text);
    for (size_t i = 0; i < known; i++)
        if (i == 0 || strcmp(names[i], names[i - 1]) != 0)
            json_array_append_new(hosts, json_string(names[i]));
    free(names);
    return hosts;
}

static void add_hosts(const struct experiment *experiment, const json_t *records, json_t *warnings)
{
    if (json_array_size(json_object_get(experiment->json, "resumed")) == 0)
        return;
    json_t *hosts = hosts_of(records);
    if (json_array_size(hosts) > 1) {
        struct message message = {.flag = FLAG_SEVERAL_HOSTS};
        char *names = joined(hosts);
        message_detail(&message, "hosts", "%s", names);
        free(names);
        message_add(warnings, &message);
    }
    json_decref(hosts);
}

// Before what moment nothing is of the last run of each condition: the earliest of their starts
// in the records from `first` to `end`. "": there are none.
static const char *last_starts(const struct experiment *experiment, const json_t *records,
                               size_t first, size_t end)
{
    const struct settings *settings = &experiment->settings;
    const char *earliest = "";
    for (size_t c = 0; c < settings->condition_count; c++) {
        const char *last = "";
        for (size_t i = first; i < end; i++) {
            const json_t *record = json_array_get(records, i);
            if (strcmp(json_text_or_empty(record, "condition"), settings->conditions[c]) == 0)
                last = json_text_or_empty(record, "start");
        }
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
static void add_meanwhile(const struct experiment *experiment, const json_t *session,
                          const json_t *records, size_t first, size_t end, json_t *warnings)
{
    const char *last = last_starts(experiment, records, first, end);
    const json_t *inputs = json_object_get(session, "inputs");
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
static void add_changes(const struct experiment *experiment, const json_t *records,
                        json_t *warnings)
{
    const json_t *resumed = json_object_get(experiment->json, "resumed");
    const json_t *session = experiment->json, *before = NULL;
    double first = 0;
    for (size_t i = 0; session; i++) {
        const json_t *next = json_array_get(resumed, i);
        const double end = next ? json_number_at(next, "runs") : (double)json_array_size(records);
        if (end > first) {
            add_meanwhile(experiment, session, records, (size_t)first, (size_t)end, warnings);
            if (before)
                add_change(before, session, warnings);
            before = session;
        }
        first = end;
        session = next;
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
    const struct settings *settings = &experiment->settings;
    const json_t *records = session->records;
    const size_t left_out = session_left_out(session);
    for (size_t i = 0; i < settings->condition_count; i++) {
        for (enum flag flag = FLAG_STEAL; flag <= FLAG_SHARED_NODE; flag++)
            add_disturbed(records, left_out, settings->conditions[i], flag, warnings);
        add_disturbed(records, left_out, settings->conditions[i], FLAG_SURVIVORS, warnings);
    }
    add_late(experiment, warnings);
    add_hosts(experiment, records, warnings);
    add_changes(experiment, records, warnings);
    add_stdout(experiment, warnings);
    add_kept(experiment, warnings);
}

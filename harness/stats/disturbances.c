// Warns of what disturbed the runs: the machine, other programs, what changed meanwhile.
#include "messages.h"
#include "record.h"
#include "result.h"
#include "session.h"
#include "shares.h"

#include "harness/record/settings.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY_LEAST = 2, MANY_SHARE = 10 }; // of the runs one in so many

static bool are_many(size_t hit, size_t runs)
{
    return hit >= MANY_LEAST && hit * MANY_SHARE >= runs;
}

// Adds the runs of one condition that figures are made of, and the records have that flag for; or
// that left survivors: children that were cut off, so that their work is in no figure. It matters
// once they are many: a single run moves a result no more than any other outlier.
static void gather_disturbed(const struct session *session, size_t condition, enum flag flag,
                             struct message *message, double *most)
{
    const json_int_t left_out = (json_int_t)session_left_out(session);
    size_t hit = 0, all = 0;
    for (size_t i = 0; i < session->fact_count; i++) {
        const struct facts *facts = &session->facts[i];
        if (facts->condition != (int)condition || facts->block <= left_out)
            continue;
        all++;
        if (flag == FLAG_SURVIVORS ? facts->survivors > 0
                                   : facts->disturbed & 1U << (flag - FLAG_STEAL)) {
            message_run(message, (size_t)facts->order);
            hit++;
        }
        *most = fmax(*most, facts->survivors);
    }
    message->of_runs += all;
    message->matters = message->matters || are_many(hit, all);
}

// A request costs its server at least this, and one that serves for a second at least this share of
// it.
static const double least_request_s = 1e-6, least_service_share = 1e-5;

// How many requests the clients of all runs made; 0: they do not say.
static double requests_of(const struct session *session)
{
    const json_t *definitions = experiment_setting(session->experiment, "metrics");
    const size_t width = json_array_size(definitions);
    double sum = 0;
    for (size_t k = 0; k < width; k++)
        for (size_t i = 0;
             json_text_is(json_array_get(definitions, k), "role", "requests") && i < session->count;
             i++)
            sum += fmax(session->defined[session->runs[i].fact * width + k], 0); // 0 for NAN
    return sum;
}

// Whether the command of --service hardly used the CPU while its client's runs went well: the
// server is another program, whose time nobody told us to count (--account).
static bool service_is_elsewhere(const struct session *session)
{
    double cpu_s = 0, elapsed_s = 0;
    if (!service_is_there(session->experiment) ||
        json_is_string(experiment_setting(session->experiment, "account")))
        return false;
    for (size_t i = 0; i < session->count; i++) {
        const struct service_use *service = &session->facts[session->runs[i].fact].service;
        if (!service->is_there || session->runs[i].failure != FAILURE_NONE)
            continue;
        cpu_s += service->cpu_s;
        elapsed_s += service->elapsed_s;
    }
    const double requests = requests_of(session);
    return elapsed_s > 0 &&
           cpu_s < (requests > 0 ? least_request_s * requests : least_service_share * elapsed_s);
}

bool disturbed_by_others(const struct session *session, size_t condition)
{
    if (service_is_elsewhere(session))
        return false;
    struct message message = {.flag = FLAG_FOREIGN_LOAD};
    double most = 0;
    gather_disturbed(session, condition, message.flag, &message, &most);
    json_decref(message.runs);
    return message.matters;
}

bool disturbed_and_said(const struct session *session)
{
    bool any = false;
    for (size_t i = 0; i < session->settings->condition_count; i++)
        any = any || disturbed_by_others(session, i);
    return any && !settings_has_gate(session->settings);
}

// Who used most of the CPUs when the experiment began, where that was looked for.
static void add_largest(const struct session *session, struct message *message)
{
    const json_t *busy =
        json_object_get(session->experiment ? session->experiment->json : NULL, "busy");
    const char *largest = json_text_or_empty(busy, "largest");
    char cpus[NUMBER_SIZE];
    if (message->flag == FLAG_FOREIGN_LOAD && *largest != '\0')
        message_detail(message, "who", " (when it began the largest was %s, with %s)", largest,
                       number_cpus(json_number_at(busy, "largest_cpus"), cpus));
}

static void add_disturbed(const struct session *session, size_t condition, enum flag flag,
                          json_t *warnings)
{
    struct message message = {.flag = flag, .condition = session->settings->conditions[condition]};
    double most = 0;
    gather_disturbed(session, condition, flag, &message, &most);
    add_largest(session, &message);
    if (flag == FLAG_SURVIVORS)
        message_detail(&message, "most", "%.0f", most);
    message_add_some(warnings, &message);
}

// What the machine does comes to all conditions: one warning of all that it came to.
static void add_of_machine(const struct session *session, enum flag flag, json_t *warnings)
{
    struct message message = {.flag = flag};
    size_t conditions = 0;
    double most = 0;
    for (size_t i = 0; i < session->settings->condition_count; i++) {
        const size_t before = json_array_size(message.runs);
        gather_disturbed(session, i, flag, &message, &most);
        if (json_array_size(message.runs) == before)
            continue;
        message.condition = conditions++ == 0 ? session->settings->conditions[i] : NULL;
    }
    add_largest(session, &message);
    message_add_some(warnings, &message);
}

// When the last runs began: of each condition's last run in the records from `first` to `end` the
// start, of these starts the earliest. "": there are none.
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
    JSON_EACH (file, json_object_get(part, "inputs")) {
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
    json_auto_t *changes = json_array();
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

// What loads and harness warned of while it was measured: {load, condition, text}
// each; load and condition are null where it was the harness.
static void add_kept(const struct session *session, json_t *warnings)
{
    const bool is_busy = disturbed_and_said(session);
    JSON_EACH (one, json_object_get(session->experiment->json, "warnings")) {
        const char *load = json_text_at(one, "load");
        const char *text = json_text_at(one, "text");
        struct message message = {.flag = load ? FLAG_LOAD_WARNING : FLAG_HARNESS_WARNING,
                                  .condition = json_text_at(one, "condition")};
        message.follows = is_busy && text && is_of_others(text);
        message_detail(&message, "load", "load %s", load ? load : "");
        message_detail(&message, "text", "%s", text ? text : "");
        message_detail(&message, "remedy", "%s",
                       text && is_of_calibration(text) ? "recalibrate on a quiet machine"
                                                       : "try the load alone with loadgen");
        message_add(warnings, &message);
    }
}

// Who came later than the experiment has no run's flag: who is there at its end is found here.
static void add_late(const json_t *experiment, json_t *warnings)
{
    const json_t *early = json_object_get(json_object_get(experiment, "before"), "neighbours");
    const json_t *late = json_object_get(json_object_get(experiment, "after"), "neighbours");
    OWNED char *text = NULL;
    JSON_EACH (job, json_object_get(late, "jobs"))
        text = text_joined(text, ", ", json_string_value(job));
    if (!text || json_array_size(json_object_get(early, "jobs")) > 0)
        return;
    struct message message = {.flag = FLAG_SHARED_LATER};
    message_detail(&message, "jobs", "%s", text);
    message_add(warnings, &message);
}

// The names of all hosts, sorted, of an experiment that was resumed.
static void add_hosts(const struct session *session, json_t *warnings)
{
    const json_t *resumed = json_object_get(session->experiment->json, "resumed");
    if (json_array_size(resumed) == 0 || json_object_size(session->hosts) < 2)
        return;
    struct message message = {.flag = FLAG_SEVERAL_HOSTS};
    OWNED const char **names = must(calloc(json_object_size(session->hosts), sizeof *names));
    OWNED char *text = NULL;
    const char *name;
    json_t *value;
    size_t count = 0;
    json_object_foreach(session->hosts, name, value) names[count++] = name;
    qsort(names, count, sizeof *names, text_order);
    for (size_t i = 0; i < count; i++)
        text = text_joined(text, ", ", names[i]);
    message_detail(&message, "hosts", "%s", text);
    message_add(warnings, &message);
}

void disturbances_add(const struct session *session, json_t *warnings)
{
    const struct experiment *experiment = session->experiment;
    const char *knows_null = json_text_at(experiment->json, "knows_null");
    const bool is_elsewhere = service_is_elsewhere(session);
    // What else runs then is the server itself, or not to be told from it.
    for (enum flag flag = FLAG_STEAL; flag <= FLAG_THROTTLED; flag++)
        if (flag != FLAG_FOREIGN_LOAD || !is_elsewhere)
            add_of_machine(session, flag, warnings);
    if (is_elsewhere)
        message_add(warnings, &(struct message){.flag = FLAG_SERVICE_ELSEWHERE});
    for (size_t i = 0; i < session->settings->condition_count; i++) {
        for (enum flag flag = FLAG_THROTTLED + 1; flag <= FLAG_SHARED_NODE; flag++)
            add_disturbed(session, i, flag, warnings);
        add_disturbed(session, i, FLAG_SURVIVORS, warnings);
    }
    add_late(experiment->json, warnings);
    add_hosts(session, warnings);
    add_changes(session, warnings);
    if (knows_null) {
        struct message message = {.flag = FLAG_STDOUT_NULL};
        message_detail(&message, "program", "%s", knows_null);
        message_add(warnings, &message);
    }
    add_kept(session, warnings);
}

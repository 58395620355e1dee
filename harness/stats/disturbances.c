#include "result.h"

#include "messages.h"
#include "shares.h"

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

// ---- clients and services ----

// So many requests beyond a quantile make its relative error about a tenth (that of a count).
static const double needed_beyond = 100;
// A rate that is missed by more is not the one that was to be measured.
static const double rate_share = 0.05;
// Halves of a run that differ by less may differ as runs do.
static const double halves_share = 0.05;

// Of one condition; their definitions are those of settings.metrics.
struct view {
    struct session *session;
    const json_t *definitions;
    size_t condition;
    json_t *warnings;
};

// ---- definitions ----

static bool is_figure(const json_t *definition)
{
    const char *role = json_text_or_empty(definition, "role");
    return *role == '\0' || strcmp(role, "result") == 0;
}

// The helper of that role for a figure, or of any figure where that is NULL; NULL: there is none.
static const json_t *helper_of(const struct view *view, const json_t *figure, const char *role)
{
    JSON_EACH (one, view->definitions)
        if (json_text_is(one, "role", role) &&
            strcmp(json_text_or_empty(one, "adapter"), json_text_or_empty(figure, "adapter")) == 0)
            return one;
    return NULL;
}

// Of p99, p999_us, lat_p50: 0.99, 0.999, 0.5. NAN: the name says no quantile.
static double quantile_of_name(const char *name)
{
    for (const char *at = name; (at = strchr(at, 'p')) != NULL; at++) {
        const size_t digits = strspn(at + 1, "0123456789");
        const char after = at[1 + digits];
        if (digits < 1 || (at != name && at[-1] != '_') || (after != '\0' && after != '_'))
            continue;
        if (strncmp(at, "p100", 4) == 0) // the largest
            return NAN;
        return strtod(at + 1, NULL) / pow(10, digits == 1 ? 2 : (double)digits);
    }
    return NAN;
}

// ---- what the runs of a condition say ----

// Of a run a helper's value; NAN: it is not known.
static double run_value(const struct view *view, const struct observation *run,
                        const json_t *helper)
{
    size_t i = 0;
    while (json_array_get(view->definitions, i) != helper)
        i++;
    return view->session->defined[run->fact * json_array_size(view->definitions) + i];
}

// In a search for the capacity the runs beyond it are as bad as they have to be.
static bool is_meant(const struct observation *run)
{
    return !(run->y > 0);
}

static struct message about(const struct view *view, enum flag flag, const json_t *figure)
{
    return (struct message){.flag = flag,
                            .condition = view->session->settings->conditions[view->condition],
                            .metric = figure ? json_text_or_empty(figure, "name") : NULL};
}

// ---- the warnings ----

static void warn_of_few(const struct view *view, const json_t *figure)
{
    const double given = json_number_at(figure, "quantile");
    const double quantile =
        isnan(given) ? quantile_of_name(json_text_or_empty(figure, "name")) : given;
    const json_t *helper = helper_of(view, figure, "requests");
    if (!helper || !(quantile > 0 && quantile < 1))
        return;
    const double needed = ceil(needed_beyond / (1 - quantile) - 1e-6);
    struct message message = about(view, FLAG_FEW_REQUESTS, figure);
    double least = INFINITY;
    EACH_USED (run, view->session, view->condition) {
        const double value = run_value(view, run, helper);
        if (!is_meant(run))
            continue;
        message.of_runs++;
        if (value < needed)
            message_run(&message, run->order);
        least = fmin(least, isnan(value) ? INFINITY : value);
    }
    message_detail(&message, "least", "%.0f", least);
    message_detail(&message, "needed", "%.0f", needed);
    message_detail(&message, "quantile", "%.5g", 100 * quantile);
    message_add_some(view->warnings, &message);
}

static void warn_of_errors(const struct view *view)
{
    struct message message = about(view, FLAG_CLIENT_ERRORS, NULL);
    const json_t *helper = NULL;
    double sum = 0, requests = 0;
    JSON_EACH (one, view->definitions)
        helper = !helper && json_text_is(one, "role", "requests") ? one : helper;
    EACH_USED (run, view->session, view->condition) {
        double errors = NAN; // of all kinds
        JSON_EACH (one, view->definitions)
            if (json_text_is(one, "role", "errors") && is_meant(run))
                errors = (isnan(errors) ? 0 : errors) + fmax(run_value(view, run, one), 0);
        message.of_runs += isnan(errors) ? 0 : 1;
        requests += helper && is_meant(run) ? run_value(view, run, helper) : 0;
        if (!(errors > 0))
            continue;
        message_run(&message, run->order);
        sum += errors;
    }
    message_detail(&message, "errors", "%.0f error%s", sum, sum == 1 ? "" : "s");
    // Some clients do not count what failed among their requests.
    if (requests > 0)
        message_detail(&message, "share", ", %.3g for each 100 requests, ", 100 * sum / requests);
    else
        message_detail(&message, "share", " ");
    message_add_some(view->warnings, &message);
}

// By the rate that the client was told to make: what was varied, or else what its command, or it
// itself, says. What it has sent may be less.
static void warn_of_rate(const struct view *view, const json_t *achieved)
{
    const json_t *offered = helper_of(view, achieved, "offered");
    const struct settings *settings = view->session->settings;
    const bool varies_rate = settings_varies_rate(settings);
    struct message message = about(view, FLAG_RATE_MISSED, NULL);
    double least = INFINITY;
    EACH_USED (run, view->session, view->condition) {
        const double done = run_value(view, run, achieved);
        const double due = varies_rate ? exp(run->x)
                           : offered   ? run_value(view, run, offered)
                                       : NAN;
        // In a search for the capacity a rate that was not sent is never kept.
        if ((!varies_rate && !is_meant(run)) || !(due > 0) || isnan(done))
            continue;
        message.of_runs++;
        if (varies_rate ? !run->unsent : !(fabs(done - due) > rate_share * due))
            continue;
        message_run(&message, run->order);
        least = fabs(done / due - 1) > fabs(least - 1) || isinf(least) ? done / due : least;
    }
    message_detail(&message, "percent", "%.3g", 100 * least);
    message_detail(&message, "meaning", "%s",
                   varies_rate ? "such runs count as not kept although their answers were in time, "
                                 "so the capacity may be the client's"
                               : "its latencies are of another rate");
    message_add_some(view->warnings, &message);
}

// Whether the mean of the runs' own ratios of halves is surely apart from 1, and by enough.
static void warn_of_halves(const struct view *view, const json_t *helper)
{
    struct sample sample = {0};
    EACH_USED (run, view->session, view->condition)
        if (is_meant(run) && isfinite(run_value(view, run, helper)))
            sample_add(&sample, run_value(view, run, helper));
    if (sample.count >= 3) {
        const double half = critical_t(&view->session->critical, (double)sample.count - 1) *
                            sqrt(sample_variance(&sample) / (double)sample.count);
        const double apart = fabs(sample.mean - 1);
        if (apart > half && apart > halves_share) {
            struct message message = about(view, FLAG_HALVES, NULL);
            message_detail(&message, "name", "%s", json_text_or_empty(helper, "name"));
            message_detail(&message, "change", "%+.3g", 100 * (sample.mean - 1));
            message_detail(&message, "error", "%.2g", 100 * half);
            message.of_runs = sample.count;
            message_add(view->warnings, &message);
        }
    }
    sample_free(&sample);
}

// A loop that is rated is open where the client was told a rate.
static bool is_closed(const struct view *view, const json_t *figure)
{
    const json_t *offered = helper_of(view, figure, "offered");
    if (json_text_is(figure, "loop", "closed"))
        return true;
    if (!json_text_is(figure, "loop", "rated"))
        return false;
    for (size_t i = 0; offered && i < view->session->count; i++)
        if (run_value(view, &view->session->runs[i], offered) > 0)
            return false;
    return true;
}

// Once for all figures of closed loops, as it is about the client.
static void warn_of_loop(const struct view *view)
{
    OWNED char *names = NULL;
    size_t count = 0;
    JSON_EACH (one, view->definitions) {
        if (!is_figure(one) || !is_closed(view, one))
            continue;
        names = text_joined(names, ", ", json_text_or_empty(one, "name"));
        count++;
    }
    if (count == 0)
        return;
    // A rate that the client does not keep while the service stalls is no capacity.
    struct message message = {.flag = settings_has_capacity(view->session->settings)
                                          ? FLAG_CLOSED_CAPACITY
                                          : FLAG_CLOSED_LOOP};
    message_detail(&message, "names", "%s", names);
    message_detail(&message, "verb", "%s", count == 1 ? "leaves" : "leave");
    message_add(view->warnings, &message);
}

void client_warnings(struct session *session, json_t *warnings)
{
    struct view view = {.session = session,
                        .definitions = experiment_setting(session->experiment, "metrics"),
                        .warnings = warnings};
    warn_of_loop(&view);
    for (; view.condition < session->settings->condition_count; view.condition++) {
        JSON_EACH (one, view.definitions) {
            if (is_figure(one))
                warn_of_few(&view, one);
            else if (json_text_is(one, "role", "achieved"))
                warn_of_rate(&view, one);
            else if (json_text_is(one, "role", "halves"))
                warn_of_halves(&view, one);
        }
        warn_of_errors(&view);
    }
}

static json_t *share(double part, double whole)
{
    return json_figure(whole > 0 ? part / whole : NAN);
}

void service_add(const struct session *session, json_t *conditions)
{
    const bool is_there = service_is_there(session->experiment);
    for (size_t i = 0; i < json_array_size(conditions); i++) {
        struct service_use used = {.memory_bytes = NAN, .starts = NAN}; // memory: the largest
        size_t runs = 0, starts = 0; // different ones, as far as neighbouring runs show
        EACH_USED (run, session, i) {
            const struct service_use *service = &session->facts[run->fact].service;
            if (!service->is_there)
                continue;
            runs++;
            used.elapsed_s += service->elapsed_s;
            used.cpu_s += service->cpu_s;
            used.memory_bytes = fmax(used.memory_bytes, service->memory_bytes);
            used.stall_s += service->stall_s;
            starts += service->starts != used.starts; // true of the first, for NAN
            used.starts = service->starts;
        }
        json_object_set_new(
            json_array_get(conditions, i), "service",
            !is_there
                ? json_null()
                : json_pack("{s:I, s:o, s:o, s:o, s:o, s:I, s:I}", "runs", (json_int_t)runs,
                            "cpu_s", share(used.cpu_s, (double)runs), "cpus",
                            share(used.cpu_s, used.elapsed_s), "memory_bytes",
                            json_figure(used.memory_bytes), "cpu_stall_share",
                            share(used.stall_s, used.elapsed_s), "starts", (json_int_t)starts,
                            "died", (json_int_t)session->conditions[i].failures[FAILURE_SERVICE]));
    }
}

// A new one is wished for each block, unless one is kept for all, or for each run, where some have
// settings of it; in a session that resumes they are counted from 1 again.
void service_warnings(const struct session *session, json_t *warnings)
{
    const bool is_kept = json_is_true(experiment_setting(session->experiment, "keep_service"));
    const json_t *json = session->experiment->json;
    // Whether the kernel shares the CPUs among sessions first.
    const bool matters =
        json_number_at(json_object_get(json, "environment"), "autogroup") > 0 &&
        json_is_null(json_object_get(json_object_get(json, "arrangement"), "cgroup"));
    struct message restarted = {.flag = FLAG_SERVICE_RESTARTED, .of_runs = session->count};
    struct message apart = {.flag = FLAG_SERVICE_APART, .of_runs = session->count};
    const bool is_new = service_is_set(session->experiment);
    double last = NAN;
    for (size_t i = 0; i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        const struct service_use *service = &session->facts[run->fact].service;
        if (!is_new && service->starts > last &&
            (is_kept || run->block == session->runs[i - 1].block))
            message_run(&restarted, run->order);
        if (matters && service->own_session)
            message_run(&apart, run->order);
        last = service->starts;
    }
    message_add_some(warnings, &restarted);
    message_add_some(warnings, &apart);
}

// Feeds the runs of an experiment to the session that judges them.
#include "session.h"

#include "decide.h"
#include "gate.h"
#include "messages.h"
#include "shares.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct facts facts_of(struct session *session, const json_t *record, const struct run *is)
{
    const double cpus = session->experiment ? session->experiment->cpus : 0;
    const char *name = is->condition, *host = is->host;
    const json_t *service = json_object_get(record, "service");
    struct facts facts = {
        .account = account_of(record, is, cpus),
        .service = {.is_there = json_is_object(service),
                    .own_session = json_is_true(json_object_get(service, "own_session")),
                    .elapsed_s = json_number_at(service, "elapsed_s"),
                    .cpu_s = is->service_cpu_s,
                    .stall_s = json_number_at(json_object_get(service, "stalls"), "cpu_s"),
                    .memory_bytes = json_number_at(service, "memory_bytes"),
                    .starts = json_number_at(service, "starts")},
        .condition = name ? settings_condition(session->settings, name) : -1,
        .block = json_integer_value(json_object_get(record, "block")),
        .order = json_integer_value(json_object_get(record, "order")),
        .survivors = json_number_at(record, "survivors"),
        .uptime_s = json_number_at(record, "uptime_s"),
    };
    JSON_EACH (one, json_object_get(record, "flags"))
        for (enum flag flag = FLAG_STEAL; flag <= FLAG_SHARED_NODE; flag++)
            if (json_is_string(one) && strcmp(json_string_value(one), flag_name(flag)) == 0)
                facts.disturbed |= 1U << (flag - FLAG_STEAL);
    if (!session->hosts)
        session->hosts = must(json_object());
    if (host && !json_object_get(session->hosts, host))
        json_put(session->hosts, host, json_true());
    if (host) // in the memory of the one object
        facts.host = json_object_iter_key(json_object_iter_at(session->hosts, host));
    json_copy_text(record, "start", facts.start, sizeof facts.start);
    return facts;
}

// What else may be needed of a record at the end.
static json_t *kept_of(const struct session *session, json_t *record)
{
    json_t *probe = json_object_get(record, "probe"), *loads = json_object_get(record, "load");
    bool is_adjusted = false;
    if (session->keeps_all)
        return json_incref(record);
    for (size_t i = 0; i < session->settings->condition_count; i++)
        is_adjusted = is_adjusted || session->settings->adjusted[i];
    if (!is_adjusted || json_array_size(loads) == 0)
        loads = NULL;
    return !probe && !loads ? json_null()
                            : must(json_pack("{s:O*, s:O*, s:O*}", "probe", probe, "load", loads,
                                             "undone", json_object_get(record, "undone")));
}

static double gap_s(const struct facts *before, const struct facts *after);

// Takes a record of a run that is measured, and not set aside.
static bool take_measured(struct session *session, json_t *record, const struct run *is,
                          struct observation *run)
{
    if (!session->records)
        session->records = must(json_array());
    session->facts =
        grown(session->facts, session->fact_count, &session->fact_capacity, sizeof *session->facts);
    run->fact = session->fact_count++;
    session->facts[run->fact] = facts_of(session, record, is);
    // The values of the experiment's own metrics, behind those of the records before.
    JSON_EACH (one, experiment_setting(session->experiment, "metrics")) {
        session->defined = grown(session->defined, session->defined_count,
                                 &session->defined_capacity, sizeof *session->defined);
        session->defined[session->defined_count++] =
            figure_recorded(json_text_or_empty(one, "name"), node_of_json(record));
    }
    run->record = kept_of(session, record);
    json_add(session->records, run->record);
    if (!session_add(session, run))
        return false;
    if (run->fact > 0)
        session->spent_s += gap_s(&session->facts[run->fact - 1], &session->facts[run->fact]);
    session_add_loads(session, run, is);
    // Notes the first forecast, as it was made then; each decision looks at all runs.
    if (session->forecast_runs == 0)
        decide(session);
    return true;
}

bool replay_take(struct session *session, json_t *record, char *why, size_t why_size)
{
    struct observation run;
    struct run is;
    (void)run_read(&is, node_of_json(record));
    const enum record_status status =
        record_take(session->settings, record, &is, &run, why, why_size);
    if (status == RECORD_SET_ASIDE || status == RECORD_WARM_UP)
        session_note(session, &run);
    if (status == RECORD_SET_ASIDE)
        session_add_set_aside(session, &run);
    if (status != RECORD_OK)
        return status == RECORD_SET_ASIDE || status == RECORD_WARM_UP;
    run_read_use(&is, node_of_json(record));
    const bool good = take_measured(session, record, &is, &run);
    if (!good)
        snprintf(why, why_size,
                 "its block has this condition already, or is far ahead of the others");
    run_free(&is);
    return good;
}

bool records_each(const char *path, void (*take)(void *to, json_t *record), void *to, bool quiet)
{
    OWNED char *line = NULL;
    size_t size = 0, number = 0, broken = 0;
    ssize_t length;
    FILE *file = file_open_record(path);
    bool known = true;
    while (file && known && (length = getline(&line, &size, file)) >= 0) {
        json_t *record = json_read_line(line, (size_t)length);
        const bool is_record = json_is_object(record);
        known = record_is_known(record, path, ++number);
        broken = !is_record && broken == 0 ? number : broken;
        if (known)
            take(to, is_record ? record : NULL);
        json_decref(record);
    }
    const bool good = file && !ferror(file);
    if (broken > 0 && !quiet)
        complain("%s: line %zu is no record: it is left out, the other runs are used", path,
                 broken);
    if (!good)
        complain("%s cannot be read (%s): check the folder", path, file_why(errno));
    if (file)
        fclose(file);
    return good && known;
}

void replay_line(struct replay *replay, json_t *record)
{
    char why[sizeof replay->why] = "";
    replay->lines++;
    if (replay_take(replay->session, record, why, sizeof why) || !record)
        return;
    if (replay->left_out++ > 0)
        return;
    replay->first = replay->lines;
    memcpy(replay->why, why, sizeof why);
}

void replay_complain(const struct replay *replay, const char *path)
{
    if (replay->left_out > 0)
        complain("%s: line %zu%s left out: %s", path, replay->first,
                 replay->left_out == 1 ? " is" : " and others are", replay->why);
}

static void take_line(void *to, json_t *record)
{
    replay_line(to, record);
}

bool replay_records(struct session *session, const char *path, bool quiet)
{
    struct replay replay = {.session = session};
    const bool good = records_each(path, take_line, &replay, quiet);
    if (!quiet)
        replay_complain(&replay, path);
    return good;
}

bool replay_all(const struct experiment *experiment, struct session *session, const char *folder,
                bool keeps_all)
{
    OWNED char *path = record_path(folder, RUNS_FILE);
    session_init(session, &experiment->settings);
    session->experiment = experiment;
    session->keeps_all = keeps_all;
    const bool good = replay_records(session, path, false);
    // Not before all runs are there: what was forecast while it went on is noted in between.
    session->outside = stop_reason(experiment_stopped(experiment));
    return good;
}

bool replay_open(struct experiment *experiment, struct session *session, const char *folder,
                 bool keeps_all)
{
    return experiment_open(experiment, folder) &&
           replay_all(experiment, session, folder, keeps_all);
}

// ---- how long they took ----

// Longer than this and ten runs: nobody measured meanwhile.
static const double pause_s = 60, pause_runs = 10;

double elapsed_between_s(const struct facts *before, const struct facts *after)
{
    const double uptime = after->uptime_s - before->uptime_s;
    // Names of hosts are those of one object.
    return uptime >= 0 && before->host == after->host
               ? uptime
               : elapsed_time(after->start) - elapsed_time(before->start);
}

// Seconds between the end of a run and the start of the next; 0 where nobody measured meanwhile.
static double gap_s(const struct facts *before, const struct facts *after)
{
    const double wall = before->account.times.wall_s, apart = elapsed_between_s(before, after);
    return apart < 0 || apart > pause_s + pause_runs * wall ? 0 : apart - wall;
}

double elapsed_s(const struct facts *facts, size_t count)
{
    if (count == 0)
        return 0;
    double sum = facts[count - 1].account.times.wall_s + 0 * elapsed_time(facts[0].start);
    for (size_t i = 1; i < count; i++)
        sum += facts[i - 1].account.times.wall_s + gap_s(&facts[i - 1], &facts[i]);
    return sum;
}

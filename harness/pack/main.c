// pack: how many copies of a program fit on a node. It reads and writes files; processes are the
// shell's.
//
//     --next DIR     the next step: see study.h
//     --derive DIR   pack.json from the records; prints the verdict of --at-most
//     --show DIR     the same on stdout, with texts for the formats
//
// Without any of these it reads the command line, writes the plan into the folder of the records,
// and prints what the shell is to do.

#include "pack.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"
#include "common/template.h"
#include "common/text.h"
#include "harness/stats/json.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

// jostle.pack/1: what came of a pack.

struct pack {
    json_t *plan;
    struct stages stages;
    struct rows rows;
    double confidence; // of each interval: that of the answer, shared out among the stages
    bool smooth;
};

// ---- rows

static void put_value(json_t *object, const char *name, const struct row *row,
                      struct stages *stages, const char *metric)
{
    json_put(object, name, figure_json("value", row_value(row, stages, metric)));
}

static json_t *programs_json(struct pack *pack, const struct row *row)
{
    const json_t *programs = json_object_get(pack->plan, "programs");
    json_t *list = must(json_array());
    JSON_EACH (program, programs) {
        const char *name = json_text_at(program, "name");
        OWNED char *metric = !name ? text_of("copy_s") : text_of("%s_s", name);
        json_t *object =
            must(json_pack("{s:s?, s:o}", "name", name, "slowdown",
                           figure_json("value", row_ratio(row, &pack->stages, metric))));
        put_value(object, "copy_s", row, &pack->stages, metric);
        json_add(list, object);
    }
    return list;
}

static json_t *row_json(struct pack *pack, const struct row *row)
{
    const double room = json_number_at(json_object_get(pack->plan, "cpus"), "room");
    const bool reference = row->condition == 0;
    const size_t at_once = reference ? 1 : row->copies;
    json_t *object =
        must(json_pack("{s:I, s:b, s:I, s:I, s:b, s:s, s:b}", "copies", (json_int_t)row->copies,
                       "reference", reference, "stage", (json_int_t)row->stage + 1, "runs",
                       (json_int_t)row->runs, "shares_cpus", (double)at_once > room, "verdict",
                       verdict_names[row->verdict], "in_knee", row->in_knee));
    put_value(object, "copy_s", row, &pack->stages, "copy_s");
    put_value(object, "worst_s", row, &pack->stages, "worst_s");
    put_value(object, "makespan_s", row, &pack->stages, "makespan_s");
    put_value(object, "throughput", row, &pack->stages, "throughput");
    put_value(object, "cpu_s", row, &pack->stages, "copy_cpu_s");
    json_put(object, "slowdown", figure_json("value", row->slowdown));
    json_put(object, "speedup", figure_json("value", row->speedup));
    // A mix has no efficiency: its reference runs in turn, and its programs may be of any length.
    json_put(object, "efficiency",
             figure_json("value", interval_scaled(row->speedup, plan_programs(pack->plan) > 1
                                                                    ? NAN
                                                                    : 1 / (double)at_once)));
    json_put(object, "power", figure_json("value", row->power));
    json_put(object, "peak_bytes",
             json_number(row_value(row, &pack->stages, "copy_peak_bytes").center));
    json_put(object, "programs", programs_json(pack, row));
    return object;
}

// ---- the answers

// The options of a scheduler for so many copies on a node.
static json_t *hints_json(const struct pack *pack, size_t copies)
{
    const json_t *hints = json_object_get(pack->plan, "hints");
    json_t *list = must(json_array());
    char number[2][32];
    snprintf(number[0], sizeof number[0], "%zu", copies);
    snprintf(number[1], sizeof number[1], "%.0f", plan_setting(pack->plan, "cpus_per_copy"));
    JSON_EACH (hint, hints) {
        const struct template_name names[] = {{"copies", number[0]}, {"cpus", number[1]}, {0}};
        OWNED char *text = template_fill_names(json_text_at(hint, "options"), names);
        json_add(list, must(json_pack("{s:O, s:s}", "scheduler", json_object_get(hint, "scheduler"),
                                      "options", text)));
    }
    return list;
}

// The next number after `last` was measured, or nothing is known of those between.
static bool follows(const struct pack *pack, size_t last, const struct row *row)
{
    return pack->smooth || row->copies == last + 1 || row->copies == plan_programs(pack->plan);
}

// Up to how many copies each number is surely below the limit: the numbers are tested in their
// order, each at the whole error rate, until one fails. What is said is then wrong no more often
// than one test is (fixed sequence: W. Maurer, L. A. Hothorn, W. Lehmacher, "Multiple comparisons
// in drug clinical trials and preclinical assays" (1995); P. H. Westfall and A. Krishen, J.
// Statist. Plann. Inference 99 (2001) 25-40).
static json_t *fits_json(const struct pack *pack)
{
    const struct rows *rows = &pack->rows;
    size_t i = 0, last = 1;
    if (rows->count == 0)
        return json_null();
    while (i < rows->count &&
           (rows->row[i].condition == 0 ||
            (rows->row[i].verdict == VERDICT_BELOW && follows(pack, last, &rows->row[i]))))
        last = rows->row[i++].copies;
    const struct row *next = i < rows->count ? &rows->row[i] : NULL;
    const size_t programs = plan_programs(pack->plan), least = programs > 1 ? programs : 2,
                 claimed = last < least ? 0 : last - least + 1;
    return must(json_pack("{s:I, s:f, s:f, s:o, s:s, s:b, s:o}", "copies", (json_int_t)last,
                          "at_most", plan_setting(pack->plan, "at_most"), "confidence",
                          plan_confidence(pack->plan), "next",
                          !next ? json_null() : json_integer((json_int_t)next->copies), "why",
                          !next ? "all" : verdict_names[next->verdict], "assumes_smooth",
                          claimed > i - 1, "options", hints_json(pack, last)));
}

// The knee is where power, throughput by time, is highest: L. Kleinrock, "Power and deterministic
// rules of thumb for probabilistic problems in computer communications" (ICC 1979). Between
// measured numbers power has one top at most, so its interval reaches to the neighbours that are
// out.
static json_t *knee_json(const struct pack *pack)
{
    const struct rows *rows = &pack->rows;
    size_t first = 0, last = rows->count, best = 0;
    while (first < rows->count && !rows->row[first].in_knee)
        first++;
    while (last > first && !rows->row[last - 1].in_knee)
        last--;
    if (first == last || rows->count < 2)
        return json_null();
    for (size_t i = 1; i < rows->count; i++)
        if (rows->row[i].power.center > rows->row[best].power.center)
            best = i;
    const size_t low = first == 0 ? 1 : rows->row[first - 1].copies + 1,
                 high =
                     last == rows->count ? rows->row[last - 1].copies : rows->row[last].copies - 1,
                 copies = rows->row[best].copies;
    return must(json_pack("{s:I, s:[I,I], s:b, s:o}", "copies", (json_int_t)copies, "ci",
                          (json_int_t)low, (json_int_t)high, "at_least", last == rows->count,
                          "options", hints_json(pack, copies)));
}

// The answer to --at-most.
static enum verdict gate_of(const struct rows *rows)
{
    enum verdict verdict = rows->count > 1 ? VERDICT_BELOW : VERDICT_UNDECIDED;
    for (size_t i = 0; i < rows->count; i++)
        verdict = verdict_joined(verdict, rows->row[i].verdict);
    return verdict;
}

// ---- all of it

static json_t *stages_json(const struct stages *stages)
{
    json_t *list = must(json_array());
    for (size_t i = 0; i < stages->count; i++) {
        const struct measured *stage = &stages->stage[i];
        OWNED char *folder = text_of("stages/%zu", i + 1);
        json_add(list,
                 must(json_pack("{s:s, s:b, s:I, s:s?, s:f}", "folder", folder, "complete",
                                measured_is_done(stage), "runs", (json_int_t)stage->session.count,
                                "stopped", experiment_stopped(&stage->experiment), "spent_s",
                                stage_spent_s(stage))));
    }
    return list;
}

static json_t *pack_json(struct pack *pack)
{
    json_t *rows = must(json_array()), *plan = pack->plan;
    double spent_s = 0;
    for (size_t i = 0; i < pack->rows.count; i++)
        json_add(rows, row_json(pack, &pack->rows.row[i]));
    for (size_t i = 0; i < pack->stages.count; i++)
        spent_s += stage_spent_s(&pack->stages.stage[i]);
    const bool gated = json_is_true(json_object_get(json_object_get(plan, "settings"), "gate"));
    return must(json_pack(
        "{s:s, s:O, s:O, s:O, s:O, s:O, s:O, s:O, s:O, s:f, s:f, s:b, s:s?, s:o, s:o, s:o, s:o, "
        "s:o}",
        "schema", SCHEMA_PACK, "made", json_object_get(plan, "made"), "jostle",
        json_object_get(plan, "jostle"), "machine", json_object_get(plan, "machine"), "programs",
        json_object_get(plan, "programs"), "settings", json_object_get(plan, "settings"), "cpus",
        json_object_get(plan, "cpus"), "memory", json_object_get(plan, "memory"), "trial",
        json_object_get(plan, "trial"), "duration_s", spent_s, "confidence_each", pack->confidence,
        "smooth", pack->smooth, "verdict", gated ? verdict_names[gate_of(&pack->rows)] : NULL,
        "rows", rows, "fits", fits_json(pack), "knee", knee_json(pack), "findings",
        findings_json(plan, &pack->stages, &pack->rows, pack->smooth), "stages",
        stages_json(&pack->stages)));
}

// From the records in DIR, a new reference; NULL after a message. A folder without stages that
// has a pack.json gives that.
static json_t *pack_derive(const char *dir)
{
    struct pack pack = {0};
    json_t *object = NULL;
    if (!file_is_in(dir, "pack-plan.json", F_OK) ||
        (!file_is_in(dir, "stages", F_OK) && file_is_in(dir, "pack.json", F_OK)))
        return study_record(&pack_study, dir, "pack.json", SCHEMA_PACK);
    pack.plan = study_plan(&pack_study, dir);
    if (!pack.plan)
        return NULL;
    const double shared = json_number_at(json_object_get(pack.plan, "search"), "confidence_each");
    pack.confidence = shared > 0 && shared < 1 ? shared : plan_confidence(pack.plan);
    if (stages_read(&pack.stages, dir)) {
        pack_rows_make(&pack.rows, &pack.stages, plan_setting(pack.plan, "at_most"),
                       pack.confidence);
        pack.smooth = rows_are_smooth(&pack.rows);
        object = pack_json(&pack);
        rows_free(&pack.rows);
    }
    stages_free(&pack.stages);
    json_decref(pack.plan);
    return object;
}

// The plan into the folder of the records: with --resume the one that is there, with the limits of
// the new.
static bool keep_plan(const struct pack_request *request, json_t *plan, const char *folder)
{
    bool made = false;
    json_t *old = study_resumed(&pack_study, plan, folder, request->resume, plan_is_same);
    if (old)
        json_put(old, "settings", json_incref(json_object_get(plan, "settings")));
    const bool good = study_keep(&pack_study, old ? old : plan, folder, &made);
    pair_put_flag("made", made);
    pair_put_flag("begun", old != NULL);
    json_decref(old);
    return good;
}

// What the shell is to do, as pairs of key and value, each ended by NUL.
static int begin(const struct pack_request *request)
{
    json_t *plan = plan_make(request);
    char seconds[32], most[32], trial[32];
    OWNED char *folder = request->output ? must(strdup(request->output))
                                         : save_default_folder("pack", plan_name(plan));
    snprintf(seconds, sizeof seconds, "%lld", (long long)(request->max_time_ns / 1000000000));
    snprintf(most, sizeof most, "%zu", plan_most(plan));
    pair_put("folder", folder);
    const bool good = request->dry_run || keep_plan(request, plan, folder);
    pair_put("max_time_s", seconds);
    pair_put("trial", plan_trial_time(plan, trial));
    pair_put("named", request->output);
    pair_put("most", most);
    pair_put("name", plan_name(plan));
    pair_put("place", pack_place_names[request->place]);
    pair_put("format", request->format ? request->format : "terminal");
    pair_put("json", request->json);
    pair_put_flag("resume", request->resume);
    pair_put_flag("dry_run", request->dry_run);
    pair_put_flag("verbose", request->verbose);
    pair_put_flag("quiet", request->quiet);
    json_decref(plan);
    return good ? 0 : 1;
}

static int derive(const char *dir)
{
    json_auto_t *pack = pack_derive(dir);
    OWNED char *path = text_of("%s/pack.json", dir);
    if (!pack || !output_document(pack, path))
        return 1;
    printf("%s\n", json_has(pack, "verdict") ? json_text_at(pack, "verdict") : "none");
    return 0;
}

static int show(const char *dir)
{
    json_auto_t *pack = pack_derive(dir);
    if (!pack)
        return 1;
    pack_texts_add(pack);
    return output_json(pack, "-", stdout) ? 0 : 1;
}

int main(int argc, char **argv)
{
    streams_open();
    struct pack_request request;
    int status = 0;
    pack_request_read(&request, argc, argv);
    if (request.next)
        status = next_print(&request) ? 0 : 1;
    else if (request.derive)
        status = derive(request.derive);
    else if (request.show)
        status = show(request.show);
    else
        status = begin(&request);
    pack_request_free(&request);
    return fflush(stdout) == 0 ? status : 1;
}

// What there is to know of a pack beside its figures: why it ended where it did, and what the
// statistics
//  warn of.

#include "pack.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"
#include "harness/stats/json.h"

#include <string.h>

enum { BLOCKS_LEAST = 5 };

// Each flag once, with what to do; docs/pack.md has the same.
static const struct {
    const char *flag, *severity, *advice;
} kinds[] = {
    {"few-blocks", "problem", "give more --max-time, or a shorter program"},
    {"no-figures", "problem", "give more --max-time: --resume continues"},
    {"memory-limit", "note", "use a larger node, or free some memory"},
    {"shared-cpus", "note", NULL},
    {"quota", "note", NULL},
    {"not-smooth", "note", "more --max-time measures every number"},
};

static void add_finding(json_t *list, const char *flag, char *text)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].flag, flag) == 0)
            json_add(list,
                     must(json_pack("{s:s, s:s, s:s, s:s?}", "flag", flag, "severity",
                                    kinds[i].severity, "text", text, "advice", kinds[i].advice)));
    free(text);
}

static void add_memory(json_t *list, const json_t *plan)
{
    const json_t *memory = json_object_get(plan, "memory");
    const double most = plan_setting(plan, "max_copies");
    const double room = json_number_at(memory, "room");
    if (room < most)
        add_finding(
            list, "memory-limit",
            text_of("%.0f copies of %.0f MiB each (the peak of one) fit into the %.0f MiB that %s "
                    "has left: more were not measured, though %.0f were to be",
                    room, json_number_at(json_object_get(plan, "trial"), "peak_bytes") / 1048576,
                    json_number_at(memory, "free_bytes") / 1048576, json_text_at(memory, "whose"),
                    most));
}

static void add_cpus(json_t *list, const json_t *plan)
{
    const json_t *cpus = json_object_get(plan, "cpus");
    const double room = json_number_at(cpus, "room"), quota = json_number_at(cpus, "quota"),
                 count = json_number_at(cpus, "count");
    if ((double)plan_most(plan) > room)
        add_finding(list, "shared-cpus",
                    text_of("from %.0f copies on they take turns on CPUs: there are CPUs for %.0f",
                            room + 1, room));
    if (quota < count)
        add_finding(
            list, "quota",
            text_of("the cgroup's quota of %g CPUs is less than the %g CPUs that are allowed: "
                    "copies throttle each other",
                    quota, count));
}

static void add_rows(json_t *list, const struct rows *rows)
{
    size_t few = 0, none = 0;
    for (size_t i = 0; i < rows->count; i++) {
        none += rows->row[i].runs < 2;
        few += rows->row[i].runs >= 2 && rows->row[i].runs < BLOCKS_LEAST;
    }
    if (none > 0)
        add_finding(
            list, "no-figures",
            text_of("of %zu of the numbers of copies there are fewer than two runs, and so no "
                    "interval",
                    none));
    if (few > 0)
        add_finding(
            list, "few-blocks",
            text_of("of %zu of the numbers of copies there are fewer than %d runs: their intervals "
                    "are wide, and rest on how few runs scatter",
                    few, BLOCKS_LEAST));
}

// What the statistics say of a stage, each kind once for all of them.
static void add_warnings(json_t *list, const struct stages *stages, const char *severity)
{
    for (size_t i = 0; i < stages->count; i++)
        JSON_EACH (one, json_object_get(stages->stage[i].summary, "warnings")) {
            const char *flag = json_text_at(one, "flag"),
                       *condition = json_text_at(one, "condition");
            if (!json_text_is(one, "severity", severity) || json_named(list, "flag", flag))
                continue;
            OWNED char *text = text_of("%s%s%s", !condition ? "" : condition,
                                       !condition                    ? ""
                                       : strcmp(condition, "1") == 0 ? " copy: "
                                                                     : " copies: ",
                                       json_text_at(one, "message"));
            json_add(list, must(json_pack("{s:s, s:s, s:s, s:o}", "flag", flag, "severity",
                                          severity, "text", text, "advice",
                                          json_text(json_text_at(one, "advice")))));
        }
}

json_t *findings_json(const json_t *plan, const struct stages *stages, const struct rows *rows,
                      bool smooth)
{
    json_t *list = must(json_array());
    add_rows(list, rows);
    add_warnings(list, stages, "problem");
    add_memory(list, plan);
    add_cpus(list, plan);
    if (!smooth)
        add_finding(
            list, "not-smooth",
            text_of("more copies are surely slowed down less than fewer: nothing is said of "
                    "numbers that were not measured"));
    add_warnings(list, stages, "note");
    return list;
}

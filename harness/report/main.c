// report: from the records of many experiments to lines of JSON that a format
// (format/NAME.jq) lays out. What a format reads:
//
//   model   a line with jostle.report/1 but for its cells, then a line a cell
//   lists   the same; each cell with the figures of its runs
//   rows    the same cells as texts, each number with its unit
//   page    rows with what the page draws
//
// CSV (figures), with or without --runs, and the terminal's tables are written here at once.

#include "formats.h"
#include "settings.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/schemas.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct report {
    struct settings settings;
    struct folders folders;
    struct campaigns campaigns;
    struct collected collected;
    struct problems problems; // of campaigns
    struct wanted wanted;
};

// Enough runs for figures, two of each condition, but no result of them.
static bool unfinished(const struct folder *folder, size_t number, const struct wanted *wanted)
{
    struct experiment experiment;
    struct problems problems = {0};
    const struct run_options options = {0};
    if (folder_has(folder->path, "result.json") || !folder_has(folder->path, "experiment.json") ||
        !folder_has(folder->path, "runs.jsonl"))
        return false;
    experiment_read(&experiment, folder, number, wanted, &options, &problems);
    const struct value *list = view_get(experiment.record.top, "conditions");
    if (!list) // of an older version: what it measured is what it lists as loads
        list = view_get(experiment.record.top, "loads");
    bool enough = view_first(list) != NULL;
    for (const struct value *item = NULL; enough && view_each(list, &item);) {
        OWNED char *name = view_text(item, "name");
        const size_t condition = !name ? SIZE_MAX : runs_condition(&experiment.runs, name);
        enough = condition != SIZE_MAX && experiment.runs.seen[condition] >= 2;
    }
    experiment_free(&experiment);
    problems_free(&problems);
    return enough;
}

// Whether a file begins with that schema. A pipe in its place has none.
static bool begins_with(const char *path, const char *schema)
{
    char text[4096] = "";
    FILE *file = file_open_record(path);
    if (file) {
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
    }
    const char *value = strstr(text, "\"schema\"");
    value = value ? value + strlen("\"schema\"") : "";
    value += strspn(value, ": \"\n");
    return strncmp(value, schema, strlen(schema)) == 0;
}

// Whether a folder has files that jostle blame has written, and nothing of an experiment.
static bool holds_blame(const char *folder)
{
    char pattern[PATH_MAX];
    glob_t found;
    bool any = false;
    if (folder_has(folder, "experiment.json") || folder_has(folder, "campaign.json") ||
        snprintf(pattern, sizeof pattern, "%s/*.json*", folder) >= (int)sizeof pattern ||
        glob(pattern, 0, NULL, &found) != 0)
        return false;
    for (size_t i = 0; i < found.gl_pathc && !any; i++)
        any = begins_with(found.gl_pathv[i], SCHEMA_BLAME);
    globfree(&found);
    return any;
}

// Which part's record a file is, by the schema at its start.
static const char *part_of_file(const char *path)
{
    static const struct {
        const char *part, *schema;
    } parts[] = {{"profile", "jostle.program/"}, {"blame", SCHEMA_BLAME}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (begins_with(path, parts[i].schema))
            return parts[i].part;
    usage_error("%s is no record of jostle that can be shown: give a folder with records, a "
                "profile, or what jostle blame has written",
                path);
}

// Which part's own records a folder has, or what was kept of them; NULL: none.
static const char *part_of(const char *folder)
{
    static const struct {
        const char *part, *plan, *record;
    } parts[] = {{"bench", "bench-plan.json", "bench.json"},
                 {"pack", "pack-plan.json", "pack.json"},
                 {"profile", "profile-plan.json", "profile-plan.json"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (folder_has(folder, parts[i].plan) || folder_has(folder, parts[i].record))
            return parts[i].part;
    return holds_blame(folder) ? "blame" : NULL;
}

// What jostle report is to do, as pairs of key and value, each ended by NUL.
static void print_plan(const struct report *report)
{
    const struct settings *settings = &report->settings;
    const char *first = settings->dirs[0];
    const char *part = settings->is_file    ? part_of_file(first)
                       : !settings->dirs[1] ? part_of(first)
                                            : NULL;
    if (part) {
        pair_put("part", part);
        pair_put("records", first);
    }
    if (settings->only)
        pair_put("only", settings->only);
    pair_put("format", settings->chosen->name);
    pair_put("reads", settings->chosen->reads);
    if (settings->output)
        pair_put("output", settings->output);
    if (settings->verbose)
        pair_put("verbose", "true");
    if (settings->open)
        pair_put("open", "true");
    for (size_t i = 0; i < report->folders.count; i++) {
        char number[32];
        if (!unfinished(&report->folders.item[i], i + 1, &report->wanted))
            continue;
        snprintf(number, sizeof number, "%zu", i + 1);
        pair_put("unfinished", number);
        pair_put("folder", report->folders.item[i].path);
    }
}

// Of the campaign, else the names of the folders. To be freed.
static char *report_name(const struct report *report)
{
    struct folders named = {0};
    char *name = report->campaigns.count == 0
                     ? NULL
                     : view_text(report->campaigns.item[0].document.top, "name");
    for (char **dir = report->settings.dirs; *dir && !name; dir++)
        folders_add_named(&named, *dir);
    for (size_t i = 0; i < named.count; i++)
        name = text_joined(name, ", ", named.item[i].name);
    folders_free(&named);
    return name;
}

static void print_figures(const struct collected *collected)
{
    OWNED char *columns = figures_columns();
    puts(columns);
    for (size_t i = 0; i < collected->line_count; i++)
        if (*collected->lines[i].text != '\0')
            puts(collected->lines[i].text);
}

static void print_cells(struct report *report)
{
    struct collected *collected = &report->collected;
    OWNED char *name = report_name(report);
    OWNED char *head = head_of(name, collected, &report->campaigns, &report->wanted);
    if (report->wanted.terminal) {
        const char **rows = must(calloc(collected->line_count + 1, sizeof *rows));
        for (size_t i = 0; i < collected->line_count; i++)
            rows[i] = collected->lines[i].text;
        terminal_print(head, rows, collected->line_count, report->settings.verbose);
        free(rows);
        return;
    }
    puts(head);
    for (size_t i = 0; i < collected->line_count; i++)
        puts(collected->lines[i].text);
}

static void say_problems(const struct report *report, const struct problems *problems)
{
    for (size_t i = 0; i < problems->count && !report->settings.quiet; i++) {
        OWNED char *text = visible(problems->item[i].message);
        complain("%s", text);
    }
}

static bool print_report(struct report *report)
{
    if (report->settings.runs) {
        const bool written = runs_print(&report->folders, &report->wanted, &report->problems);
        say_problems(report, &report->problems);
        return written;
    }
    // The table of one experiment is that of jostle slowdown.
    report->wanted.table = report->wanted.rows && !report->settings.dirs[1] &&
                           report->folders.count == 1 &&
                           strcmp(report->folders.item[0].path, report->settings.dirs[0]) == 0;
    collect(&report->collected, &report->folders, &report->wanted);
    collect_unstarted(&report->collected, &report->campaigns, &report->folders, &report->wanted);
    problems_move(&report->collected.problems, &report->problems);
    say_problems(report, &report->collected.problems);
    if (report->collected.line_count == 0 && report->collected.waiting_count == 0)
        return complain("%s: no record that can be used: give a folder that jostle campaign, run "
                        "or slowdown made",
                        report->settings.dirs[0]);
    if (report->wanted.figures)
        print_figures(&report->collected);
    else
        print_cells(report);
    return fflush(stdout) == 0 && !ferror(stdout);
}

static struct wanted wanted_of(const struct settings *settings)
{
    const char *reads = settings->chosen->reads;
    return (struct wanted){
        .only = settings->only,
        .derived = settings->derived,
        .rows = strcmp(reads, "rows") == 0 || strcmp(reads, "page") == 0 ||
                strcmp(reads, "terminal") == 0,
        .terminal = strcmp(reads, "terminal") == 0,
        .page = strcmp(reads, "page") == 0,
        .lists = strcmp(reads, "lists") == 0,
        .figures = strcmp(reads, "figures") == 0,
    };
}

int main(int argc, char **argv)
{
    streams_open();
    struct report report = {0};
    bool good = true;
    report_settings_read(&report.settings, argc, argv);
    report.wanted = wanted_of(&report.settings);
    for (char **dir = report.settings.dirs; *dir != NULL; dir++) {
        folders_add(&report.folders, *dir);
        campaigns_add(&report.campaigns, *dir, &report.problems);
    }
    folders_distinguish(&report.folders);
    if (report.settings.plan)
        print_plan(&report);
    else
        good = print_report(&report);
    good = fflush(stdout) == 0 && good;
    collected_free(&report.collected);
    campaigns_free(&report.campaigns);
    problems_free(&report.problems);
    folders_free(&report.folders);
    report_settings_free(&report.settings);
    return good ? 0 : 1;
}

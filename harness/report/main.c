// report: from the records of many experiments to lines of JSON that a format
// (format/NAME.jq) lays out. What a format reads:
//
//   model   a line with jostle.report/1 but for its cells, then a line a cell
//   lists   the same; each cell with the figures of its runs
//   rows    the same cells as texts, each number with its unit
//   page    a line as for rows, one of what a page says without its script, then what that draws
//
// JSON (document: the model), CSV (figures), with or without --runs, and the terminal's tables are
// written here at once.
#include "figures.h"
#include "report.h"

#include "common/file.h"
#include "common/messages.h"
#include "common/options.h"
#include "common/schemas.h"
#include "common/text.h"

#include <dirent.h>
#include <glob.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- the command line

// The formats: those that this program writes itself, and a file NAME.jq each, whose first lines
// say what it is:
//
//     # Markdown: the tables of the terminal, ...       what --help says of it
//     # files: .md .markdown                            that --output stands for
//     # reads: rows                                     what it is fed; see main.c
struct format {
    const char *name, *about, *endings, *reads;
};

struct formats {
    struct format *item; // by name
    size_t count, allocated;
    struct arena texts; // theirs, and what is said of them
};

// The command line of jostle report, and what jostle asks of this program.
struct settings {
    const char *format, *output, *only, *tables, *units; // NULL: not given
    bool runs, quiet, verbose, open, split;
    // jostle's own.
    const char *formats; // folder of the formats
    const char *derived; // see struct wanted
    bool plan;
    char **dirs;     // ended by NULL
    char *latest[2]; // where no folder was given: what dirs is then
    bool is_file;    // the only one is a file: the record of a part
    struct formats known;
    const struct format *chosen;
    struct options *options;
};

static int is_filter(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && text_ends(entry->d_name, ".jq");
}

// What a format's file says of it; where it says nothing it reads the model.
static struct format format_of(struct arena *texts, const char *name, FILE *file)
{
    struct format format = {kept(texts, name), "", "", "model"};
    OWNED char *line = NULL;
    size_t size = 0;
    ssize_t length;
    for (bool first = true; (length = getline(&line, &size, file)) > 2 && line[0] == '#';
         first = false) {
        line[length - 1] = '\0';
        format.endings = kept(texts, text_after(line, "# files: ")) ?: format.endings;
        format.reads = kept(texts, text_after(line, "# reads: ")) ?: format.reads;
        if (first)
            format.about = kept(texts, text_after(line, "# ")) ?: "";
    }
    return format;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct format *)a)->name, ((const struct format *)b)->name);
}

// What this program lays out itself, and what the heads of dir/X.jq say.
static void formats_find(struct formats *formats, const char *dir)
{
    struct dirent **entry = NULL;
    const int count = scandir(dir, &entry, is_filter, NULL);
    MORE(formats) = (struct format){
        "csv", "Long form for R, pandas, DuckDB; with --runs a line a run.", ".csv", "figures"};
    MORE(formats) = (struct format){
        "json", "The model that all formats are made of (jostle.report/1).", ".json", "document"};
    MORE(formats) = (struct format){
        "svg", "The charts of the page as one picture, without a browser.", ".svg", "page"};
    MORE(formats) = (struct format){
        "terminal", "A table for each target, in colour unless NO_COLOR=1.", ".txt", "terminal"};
    for (int i = 0; i < count; i++) {
        OWNED char *path = text_of("%s/%s", dir, entry[i]->d_name);
        FILE *file = fopen(path, "re");
        entry[i]->d_name[text_before(entry[i]->d_name, ".jq")] = '\0';
        if (file) {
            MORE(formats) = format_of(&formats->texts, entry[i]->d_name, file);
            fclose(file);
        }
        free(entry[i]);
    }
    free(entry);
    qsort(formats->item, formats->count, sizeof *formats->item, by_name);
}

// NULL: none for a file of this name.
static const struct format *format_by_file(const struct formats *formats, const char *file)
{
    for (size_t i = 0; i < formats->count; i++) {
        OWNED char *endings = must(strdup(formats->item[i].endings));
        char *rest = endings;
        for (char *ending = strsep(&rest, " "); ending; ending = strsep(&rest, " ")) {
            const size_t length = strlen(ending);
            if (length > 0 && strlen(file) > length &&
                strcasecmp(file + strlen(file) - length, ending) == 0)
                return &formats->item[i];
        }
    }
    return NULL;
}

#define ROW(name, argument, type, member) OPTION_ROW(struct settings, name, argument, type, member)

static const struct option_row option_rows[] = {
    {ROW("format", "FORMAT", OPTION_TEXT, format), .wrong = "no-such-format",
     .help = "One of the formats below (default: as the name of --output says, else terminal)"},
    {ROW("output", "FILE", OPTION_TEXT, output), .help = "Write to FILE instead of stdout"},
    {ROW("only", "PATTERN", OPTION_TEXT, only),
     .help = "Only cells whose name fits this shell pattern, such as \"delannoy.*@disk.*\""},
    {ROW("open", NULL, OPTION_FLAG, open),
     .help = "Make the page (html) in DIR, and open it in a browser where there is one"},
    {ROW("tables", "LIST", OPTION_TEXT, tables), .check = tables_check, .wrong = "means,means",
     .help = "terminal, md, latex: only these tables, in this order: means (mean and variance, a "
             "column for each parameter, a row for each load and level), slowdowns, levels "
             "(slowdown by level)"},
    {ROW("split-parameters", NULL, OPTION_FLAG, split),
     .help = "md, latex: a column for each parameter in all tables; --tables always has them"},
    {ROW("units", "TIME,MEMORY", OPTION_TEXT, units), .check = mean_units_check, .wrong = "s,s",
     .help = "md, latex, --tables: units of means and variances: s, ms or us; B, kB, KiB, MB, MiB, "
             "GB or GiB (default: with --tables s,kB)"},
    {ROW("runs", NULL, OPTION_FLAG, runs),
     .help = "csv: a line for each run instead of one for each figure"},
    {ROW("verbose", NULL, OPTION_FLAG, verbose),
     .help = "terminal: show notes, too, not only their number"},
    {ROW("quiet", NULL, OPTION_FLAG, quiet),
     .help = "Do not say on stderr what is wrong with records; the report does, too"},
    {ROW("formats", "DIR", OPTION_TEXT, formats), .hidden = true, .help = "Where the formats are"},
    {ROW("derived", "DIR", OPTION_TEXT, derived), .hidden = true,
     .help = "Where results of unfinished experiments are"},
    {ROW("plan", NULL, OPTION_FLAG, plan), .hidden = true,
     .help = "Print what is to be done, nothing else"},
    {0},
};

static const char intro[] =
    "Makes a report of what jostle run, slowdown or campaign recorded. DIR is the folder of a "
    "campaign, of one experiment, or one with experiments right below it (default: the latest in "
    "jostle-results). The same records make the same report, to the byte. Cells that are not done "
    "are listed, with the reason; records that are broken are named and left out.";

static const char exits[] =
    "Exit status:\n  0  written    1  failure, or no record can be used    2  wrong use";

// The part of --help below the options.
static const char *details_of(struct formats *formats)
{
    const char *text = "Formats:\n";
    for (size_t i = 0; i < formats->count; i++) {
        const struct format *format = &formats->item[i];
        const bool has_files = *format->endings != '\0';
        text = said(&formats->texts, "%s  %-10s %s%s%s%s\n", text, format->name, format->about,
                    has_files ? " (" : "", format->endings, has_files ? ")" : "");
    }
    return said(&formats->texts, "%s\n%s", text, exits);
}

static const char *names_of(struct formats *formats, const char *between)
{
    const char *text = "";
    for (size_t i = 0; i < formats->count; i++)
        text = joined(&formats->texts, text, between, formats->item[i].name);
    return text;
}

// The format of that name, or the end of the program.
static const struct format *format_by_name(struct settings *settings)
{
    struct formats *known = &settings->known;
    OWNED const char **name = must(calloc(known->count + 1, sizeof *name));
    for (size_t i = 0; i < known->count; i++) {
        name[i] = known->item[i].name;
        if (strcmp(name[i], settings->format) == 0)
            return &known->item[i];
    }
    usage_error("--format %s: unknown%s: give one of %s", settings->format,
                nearest_hint(settings->format, name).text, names_of(known, " "));
}

static void choose_format(struct settings *settings)
{
    if (settings->open && settings->format && strcmp(settings->format, "html") != 0)
        usage_error("--open is for a page: leave out --format %s", settings->format);
    if (settings->open)
        settings->format = "html";
    if (!settings->format && settings->output) {
        settings->chosen = format_by_file(&settings->known, settings->output);
        if (!settings->chosen)
            usage_error("--output %s: its name does not say which format is meant: add --format",
                        settings->output);
        return;
    }
    if (!settings->format)
        settings->format = "terminal";
    settings->chosen = format_by_name(settings);
}

// What chooses tables, and how they look, is for formats that have them.
static void check_tables(const struct settings *settings)
{
    const char *format = settings->chosen->name;
    const bool is_document = strcmp(format, "md") == 0 || strcmp(format, "latex") == 0,
               has_tables = is_document || strcmp(format, "terminal") == 0;
    if (settings->tables && !has_tables)
        usage_error("--tables is for terminal, md and latex, not for --format %s: leave it out",
                    format);
    if (settings->units && !is_document && !settings->tables)
        usage_error("--units is for --tables, md and latex: add --tables means");
    if (settings->split && !is_document && !settings->tables)
        usage_error("--split-parameters is for --tables, md and latex: add --tables slowdowns");
}

// A single file is the record of a part: main.c finds out of which.
static void check(struct settings *settings)
{
    check_tables(settings);
    if (settings->runs && strcmp(settings->chosen->reads, "figures") != 0)
        usage_error("--runs is for --format csv: leave it out");
    for (char **dir = settings->dirs; *dir != NULL; dir++) {
        struct stat status;
        const bool found = stat(*dir, &status) == 0;
        settings->is_file = found && S_ISREG(status.st_mode) && !settings->dirs[1];
        if (!settings->is_file && (!found || !S_ISDIR(status.st_mode)))
            usage_error("%s is not a folder: give one that jostle campaign, run or slowdown made",
                        *dir);
    }
}

// The folder of jostle-results that was changed last, to be freed; NULL: there is none.
static char *latest_folder(void)
{
    struct dirent **entry = NULL;
    const int count = scandir("jostle-results", &entry, NULL, NULL);
    struct timespec newest = {0};
    char *latest = NULL;
    for (int i = 0; i < count; i++) {
        OWNED char *path = text_of("jostle-results/%s", entry[i]->d_name);
        struct stat status;
        const bool is_folder =
            entry[i]->d_name[0] != '.' && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
        const struct timespec when = is_folder ? status.st_mtim : (struct timespec){0};
        if (when.tv_sec > newest.tv_sec ||
            (when.tv_sec == newest.tv_sec && when.tv_nsec > newest.tv_nsec)) {
            free(latest);
            latest = must(strdup(path));
            newest = when;
        }
        free(entry[i]);
    }
    free(entry);
    return latest;
}

static void choose_folders(struct settings *settings)
{
    if (!settings->dirs[0]) {
        settings->latest[0] = latest_folder();
        settings->dirs = settings->latest;
        if (!settings->latest[0])
            usage_error("report of what? There is no jostle-results here: jostle report DIR");
        if (settings->plan && !settings->quiet)
            complain("the latest in jostle-results is %s", settings->latest[0]);
    }
    if (!settings->open || settings->output)
        return;
    settings->output = said(&settings->known.texts, "%s/report.html", settings->dirs[0]);
}

// What follows such a word among the arguments, before they are read; NULL: there is none.
static const char *given(char **argv, const char *word)
{
    const char *rest = NULL;
    for (; *argv && !rest; argv++)
        rest = text_after(*argv, word);
    return rest;
}

// Wrong use ends the program, and so does --help.
static void settings_read(struct settings *settings, int argc, char **argv)
{
    int rest = 0;
    *settings = (struct settings){0};
    // They are needed before --help can be answered.
    formats_find(&settings->known, given(argv, "--formats=") ?: "harness/report/format");
    struct option_row own[sizeof option_rows / sizeof *option_rows];
    memcpy(own, option_rows, sizeof option_rows);
    // Completions read --help-all; people have them below the options.
    if (given(argv, "--list-options") || (given(argv, "--help-all") && isatty(STDOUT_FILENO) == 0))
        own[0].argument = names_of(&settings->known, "|");
    const struct option_group group = {.rows = own, .values = settings};
    const struct program program = {.name = "jostle report",
                                    .usage = "[DIR...|FILE]",
                                    .intro = intro,
                                    .details = details_of(&settings->known),
                                    .groups = &group,
                                    .group_count = 1};
    settings->options = options_parse(&program, argc, argv, &rest);
    settings->dirs = argv + rest;
    choose_format(settings);
    choose_folders(settings);
    check(settings);
}

static void settings_free(struct settings *settings)
{
    arena_free(&settings->known.texts);
    free(settings->known.item);
    options_free(settings->options);
    free(settings->latest[0]);
}

// ---- the program

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
    const struct value *list = experiment.planned;
    if (!list) // of an older version: what it measured is what it lists as loads
        list = experiment.loads;
    bool enough = view_first(list) != NULL;
    for (const struct value *item = NULL; enough && view_each(list, &item);) {
        const char *name = view_text(item, "name");
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
    if (!file)
        return false;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
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
    if (part && (settings->tables || settings->units || settings->split))
        usage_error("%s is of a %s, which has tables of its own: leave out --tables, --units and "
                    "--split-parameters",
                    first, part);
    const bool is_chosen = settings->tables && strcmp(settings->chosen->name, "latex") != 0;
    const char *const pairs[][2] = {{"part", part},
                                    {"layout", is_chosen ? "tables" : NULL},
                                    {"records", part ? first : NULL},
                                    {"only", settings->only},
                                    {"format", settings->chosen->name},
                                    {"reads", settings->chosen->reads},
                                    {"output", settings->output},
                                    {"verbose", settings->verbose ? "true" : NULL},
                                    {"open", settings->open ? "true" : NULL}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][1])
            pair_put(pairs[i][0], pairs[i][1]);
    for (size_t i = 0; i < report->folders.count; i++) {
        OWNED char *number = text_of("%zu", i + 1);
        if (!unfinished(&report->folders.item[i], i + 1, &report->wanted))
            continue;
        pair_put("unfinished", number);
        pair_put("folder", report->folders.item[i].path);
    }
}

// Of the campaign, else the names of the folders.
static const char *report_name(struct report *report)
{
    struct folders named = {0};
    struct arena *texts = &report->collected.texts;
    const char *name = report->campaigns.count == 0
                           ? NULL
                           : view_text(report->campaigns.item[0].document.top, "name");
    for (char **dir = report->settings.dirs; *dir && !name; dir++)
        folders_add_named(&named, *dir);
    for (size_t i = 0; i < named.count; i++)
        name = joined(texts, name, ", ", kept(texts, named.item[i].name));
    folders_free(&named);
    return name;
}

// A character of several bytes as JSON escapes it. Returns its last byte.
static const char *print_escaped(const char *text)
{
    const unsigned char first = (unsigned char)*text;
    const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    unsigned code = first & (0x3fu >> more);
    for (int i = 0; i < more; i++)
        code = code << 6 | ((unsigned char)*++text & 0x3fu);
    if (code > 0xffff)
        printf("\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10), 0xdc00 + (code & 0x3ff));
    else
        printf("\\u%04x", code);
    return text;
}

// JSON that no terminal obeys, and that within a page cannot end the element that it is in. There
// it is ASCII: where jq reads lines as texts, it breaks characters at the end of its buffer.
static void print_json(const char *text, bool in_page)
{
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)text[0], next = (unsigned char)text[1];
        const bool is_control = c == 0xc2 && next < 0xa0; // U+0080 to U+009F
        if (c >= 0x80 && (in_page || is_control))
            text = print_escaped(text);
        else if (c == 0x7f || (in_page && c == '<'))
            printf("\\u%04x", c);
        else
            putchar_unlocked(c);
    }
}

// The last member of an object that is open, and its end; a cell on a line of its own, so that diff
// can compare two reports.
static void print_cells(const struct collected *collected, bool in_page)
{
    size_t left = collected_cells(collected);
    puts(",\"cells\":[");
    for (size_t i = 0; i < collected->lines.count; i++) {
        if (!collected->lines.item[i].text)
            continue;
        print_json(collected->lines.item[i].text, in_page);
        puts(--left > 0 ? "," : "");
    }
    puts("]}");
}

// A list, on a line, of what is read of the cells for what a page says without its script.
static void print_digest(const struct collected *collected)
{
    static const char *const members[] = {"texts",    "values",   "problems",
                                          "variants", "capacity", NULL};
    struct view view = {0};
    const char *before = "[";
    for (size_t i = 0; i < collected->lines.count; i++) {
        const char *text = collected->lines.item[i].text;
        struct line json = {0};
        if (!text)
            continue;
        LINE_OBJECT (&json, NULL)
            view_put_members(&json, view_parse(&view, text, strlen(text)), members);
        OWNED char *made = json_text_end(&json);
        fputs(before, stdout);
        print_json(made, true);
        before = ",";
    }
    puts(*before == '[' ? "[]" : "]");
    view_free(&view);
}

// Of a few rows nobody has to search for one.
static void print_page(const char *head, const struct collected *collected)
{
    enum { FEW = 6 };
    print_json(head, true);
    puts("");
    print_digest(collected);
    printf("{\"filter\":%s,\"what\":\"cells\",\"head\":",
           collected_cells(collected) > FEW ? "\"Filter by target or load\"" : "null");
    print_json(head, true);
    print_cells(collected, true);
}

static void print_lines(const char *head, const struct collected *collected)
{
    puts(head);
    for (size_t i = 0; i < collected->lines.count; i++)
        if (collected->lines.item[i].text && *collected->lines.item[i].text != '\0')
            puts(collected->lines.item[i].text);
}

static void print_collected(struct report *report)
{
    struct collected *collected = &report->collected;
    const struct wanted *wanted = &report->wanted;
    OWNED char *head = wanted->figures
                           ? figures_columns()
                           : head_of(report_name(report), collected, &report->campaigns, wanted);
    if (wanted->terminal) {
        terminal_print(head, collected, report->settings.verbose);
    } else if (wanted->page) {
        print_page(head, collected);
    } else if (wanted->document) {
        head[strlen(head) - 1] = '\0'; // its end comes behind the cells
        print_json(head, false);
        print_cells(collected, false);
    } else {
        print_lines(head, collected);
    }
}

static void say_problems(const struct report *report, const struct problems *problems)
{
    struct arena texts = {0};
    for (size_t i = 0; i < problems->count && !report->settings.quiet; i++)
        complain("%s", shown(&texts, problems->item[i].message));
    arena_free(&texts);
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
    const bool none =
        collected_cells(&report->collected) == 0 && report->collected.waiting.count == 0;
    if (none && report->wanted.only && report->folders.count > 0)
        return complain("--only %s: no cell of %s has such a name: give another pattern",
                        report->wanted.only, report->settings.dirs[0]);
    if (none)
        return complain("%s: no record that can be used: give a folder that jostle campaign, run "
                        "or slowdown made",
                        report->settings.dirs[0]);
    print_collected(report);
    return fflush(stdout) == 0 && !ferror(stdout);
}

static struct wanted wanted_of(const struct settings *settings)
{
    const char *reads = settings->chosen->reads;
    struct wanted wanted = {.only = settings->only,
                            .tables = settings->tables,
                            .units = settings->units,
                            .split = settings->split || settings->tables,
                            .derived = settings->derived,
                            .terminal = !settings->tables && strcmp(reads, "terminal") == 0,
                            .page = strcmp(reads, "page") == 0,
                            .document = strcmp(reads, "document") == 0,
                            .lists = strcmp(reads, "lists") == 0,
                            .figures = strcmp(reads, "figures") == 0};
    wanted.rows = wanted.page || wanted.terminal || settings->tables || strcmp(reads, "rows") == 0;
    return wanted;
}

int main(int argc, char **argv)
{
    streams_open();
    struct report report = {0};
    bool good = true;
    if (argc == 2 &&
        strcmp(argv[1], "--figures") == 0) // what the shell calls, between a program and jq
        return figures_copy(stdin, stdout) ? 0 : 1;
    settings_read(&report.settings, argc, argv);
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
    settings_free(&report.settings);
    return good ? 0 : 1;
}

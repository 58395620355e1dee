#include "settings.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/text.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int is_filter(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && text_ends(entry->d_name, ".jq");
}

static void take(char **field, const char *line, const char *key)
{
    if (strncmp(line, key, strlen(key)) != 0)
        return;
    free(*field);
    *field = must(strdup(line + strlen(key)));
}

static void read_head(struct format *format, FILE *file)
{
    OWNED char *line = NULL;
    size_t size = 0;
    ssize_t length;
    for (bool first = true; (length = getline(&line, &size, file)) > 2 && line[0] == '#';
         first = false) {
        line[length - 1] = '\0';
        if (first)
            take(&format->about, line, "# ");
        take(&format->endings, line, "# files: ");
        take(&format->reads, line, "# reads: ");
    }
}

// A format of this name, of which nothing else is known.
static struct format *add(struct formats *formats, char *name)
{
    formats->item =
        grown(formats->item, formats->count, &formats->allocated, sizeof *formats->item);
    struct format *format = &formats->item[formats->count++];
    *format = (struct format){.name = name,
                              .about = must(strdup("")),
                              .endings = must(strdup("")),
                              .reads = must(strdup("model"))};
    return format;
}

// What this program lays out itself.
static struct format *add_own(struct formats *formats, const char *name, const char *about,
                              const char *ending, const char *reads)
{
    struct format *format = add(formats, must(strdup(name)));
    take(&format->about, about, "");
    take(&format->endings, ending, "");
    take(&format->reads, reads, "");
    return format;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct format *)a)->name, ((const struct format *)b)->name);
}

// CSV, and what the heads of dir/X.jq say.
static void formats_find(struct formats *formats, const char *dir)
{
    struct dirent **entry = NULL;
    const int count = scandir(dir, &entry, is_filter, NULL);
    add_own(formats, "csv", "Long form for R, pandas, DuckDB; with --runs a line a run.", ".csv",
            "figures")
        ->knows_runs = true;
    add_own(formats, "terminal", "A table for each target, in colour unless NO_COLOR=1.", ".txt",
            "terminal");
    for (int i = 0; i < count; i++) {
        OWNED char *path = text_of("%s/%s", dir, entry[i]->d_name);
        FILE *file = fopen(path, "re");
        struct format *format =
            add(formats, must(strndup(entry[i]->d_name, strlen(entry[i]->d_name) - 3)));
        if (file) {
            read_head(format, file);
            fclose(file);
        }
        free(entry[i]);
    }
    free(entry);
    qsort(formats->item, formats->count, sizeof *formats->item, by_name);
}

// NULL: none of this name, for a file of this name.
static const struct format *format_by_name(const struct formats *formats, const char *name)
{
    for (size_t i = 0; i < formats->count; i++)
        if (strcmp(formats->item[i].name, name) == 0)
            return &formats->item[i];
    return NULL;
}

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

static void formats_free(struct formats *formats)
{
    for (size_t i = 0; i < formats->count; i++) {
        free(formats->item[i].name);
        free(formats->item[i].about);
        free(formats->item[i].endings);
        free(formats->item[i].reads);
    }
    free(formats->item);
}

#define ROW(name, argument, type, member) OPTION_ROW(struct settings, name, argument, type, member)

static const struct option_row rows[] = {
    {ROW("format", "FORMAT", OPTION_TEXT, format), .wrong = "no-such-format",
     .help = "One of the formats below (default: as the name of --output says, else terminal)"},
    {ROW("output", "FILE", OPTION_TEXT, output), .help = "Write to FILE instead of stdout"},
    {ROW("only", "PATTERN", OPTION_TEXT, only),
     .help = "Only cells whose name fits this shell pattern, such as \"delannoy.*@disk.*\""},
    {ROW("open", NULL, OPTION_FLAG, open),
     .help = "Make the page (html) in DIR, and open it in a browser where there is one"},
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

// The part of --help below the options, to be freed.
static char *details_of(const struct formats *formats)
{
    char *text = must(strdup("Formats:\n"));
    for (size_t i = 0; i < formats->count; i++) {
        const struct format *format = &formats->item[i];
        const bool has_files = *format->endings != '\0';
        text = text_added(text, "  %-10s %s%s%s%s\n", format->name, format->about,
                          has_files ? " (" : "", format->endings, has_files ? ")" : "");
    }
    return text_added(text, "\n%s", exits);
}

static char *names_of(const struct formats *formats, const char *between)
{
    char *text = must(strdup(""));
    for (size_t i = 0; i < formats->count; i++)
        text = text_joined(text, between, formats->item[i].name);
    return text;
}

static void unknown_format(const struct settings *settings)
{
    const char **name = must(calloc(settings->known.count + 1, sizeof *name));
    for (size_t i = 0; i < settings->known.count; i++)
        name[i] = settings->known.item[i].name;
    const struct hint hint = nearest_hint(settings->format, name);
    free(name);
    usage_error("--format %s: unknown%s: give one of %s", settings->format, hint.text,
                names_of(&settings->known, " "));
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
    settings->chosen = format_by_name(&settings->known, settings->format);
    if (!settings->chosen)
        unknown_format(settings);
}

// A single file is the record of a part: main.c finds out of which.
static void check(struct settings *settings)
{
    if (settings->runs && !settings->chosen->knows_runs)
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

static void take_latest(struct settings *settings)
{
    settings->latest[0] = latest_folder();
    if (!settings->latest[0])
        usage_error("report of what? There is no jostle-results here: jostle report DIR");
    settings->dirs = settings->latest;
    if (settings->plan && !settings->quiet)
        complain("the latest in jostle-results is %s", settings->latest[0]);
}

static void choose_folders(struct settings *settings)
{
    if (!settings->dirs[0])
        take_latest(settings);
    if (!settings->open || settings->output)
        return;
    settings->page = text_of("%s/report.html", settings->dirs[0]);
    settings->output = settings->page;
}

// --formats is needed before --help can be answered.
static const char *formats_folder(char **argv)
{
    for (; *argv != NULL; argv++)
        if (strncmp(*argv, "--formats=", strlen("--formats=")) == 0)
            return *argv + strlen("--formats=");
    return "harness/report/format";
}

void report_settings_read(struct settings *settings, int argc, char **argv)
{
    int rest = 0;
    *settings = (struct settings){0};
    formats_find(&settings->known, formats_folder(argv));
    OWNED char *details = details_of(&settings->known);
    // The formats' names are the values that completions offer.
    struct option_row own[sizeof rows / sizeof *rows];
    memcpy(own, rows, sizeof rows);
    settings->format_names = names_of(&settings->known, "|");
    own[0].argument = settings->format_names;
    const struct option_group group = {.rows = own, .values = settings};
    const struct program program = {.name = "jostle report",
                                    .usage = "[DIR...|FILE]",
                                    .intro = intro,
                                    .details = details,
                                    .groups = &group,
                                    .group_count = 1};
    settings->options = options_parse(&program, argc, argv, &rest);
    settings->dirs = argv + rest;
    choose_format(settings);
    choose_folders(settings);
    check(settings);
}

void report_settings_free(struct settings *settings)
{
    formats_free(&settings->known);
    options_free(settings->options);
    free(settings->format_names);
    free(settings->latest[0]);
    free(settings->page);
}

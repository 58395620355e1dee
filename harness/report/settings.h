#ifndef REPORT_SETTINGS_H
#define REPORT_SETTINGS_H

#include "common/options.h"

#include <stdbool.h>
#include <stddef.h>

// The formats: CSV and the terminal's, which this program writes itself, and a file NAME.jq each,
// whose first lines say what it is:
//
//     # Markdown: the tables of the terminal, ...       what --help says of it
//     # files: .md .markdown                            that --output stands for
//     # reads: rows                                     what it is fed; see main.c
struct format {
    char *name, *about, *endings, *reads;
    bool knows_runs;
};

struct formats {
    struct format *item; // by name
    size_t count, allocated;
};

// The command line of jostle report, and what jostle asks of this program.
struct settings {
    const char *format, *output, *only; // NULL: not given
    bool runs, quiet, verbose, open;
    // jostle's own.
    const char *formats; // folder of the formats
    const char *derived; // see struct wanted
    bool plan;
    char **dirs;     // ended by NULL
    char *latest[2]; // where no folder was given: what dirs is then
    bool is_file;    // the only one is a file: the record of a part
    struct formats known;
    char *page;         // of --open without --output: where it goes
    char *format_names; // as the help has them: "csv|html"
    const struct format *chosen;
    struct options *options;
};

// Wrong use ends the program, and so does --help.
void report_settings_read(struct settings *settings, int argc, char **argv);
void report_settings_free(struct settings *settings);

#endif

#ifndef REPORT_SETTINGS_H
#define REPORT_SETTINGS_H

#include "formats.h"

#include "common/options.h"

/* The command line of jostle report, and what jostle asks of this program. */
struct settings {
    const char *format, *output, *only; /* NULL: not given */
    bool runs, quiet, verbose;
    /* jostle's own. */
    const char *formats; /* folder of the formats */
    const char *derived; /* see struct wanted */
    bool plan;
    char **dirs;  /* ended by NULL */
    bool is_file; /* the only one is a file: the record of a part */
    struct formats known;
    char *format_names; /* as the help has them: "csv|html" */
    const struct format *chosen;
    struct options *options;
};

/* Wrong use ends the program, and so does --help. */
void settings_read(struct settings *settings, int argc, char **argv);
void settings_free(struct settings *settings);

#endif

#ifndef REPORT_FORMATS_H
#define REPORT_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

/* The formats: CSV, which this program writes itself, and a file NAME.jq each, whose first lines
 * say what it is:
 *
 *     # Markdown: the tables of the terminal, ...       what --help says of it
 *     # files: .md .markdown                            that --output stands for
 *     # reads: rows                                     what it is fed; see main.c
 */
struct format {
    char *name, *about, *endings, *reads;
    bool knows_runs;
};

struct formats {
    struct format *item; /* by name */
    size_t count, allocated;
};

/* CSV, and what the heads of dir/X.jq say. */
void formats_find(struct formats *formats, const char *dir);
/* NULL: none of this name, for a file of this name. */
const struct format *format_by_name(const struct formats *formats, const char *name);
const struct format *format_by_file(const struct formats *formats, const char *file);
void formats_free(struct formats *formats);

#endif

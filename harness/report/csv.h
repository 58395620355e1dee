#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include "folders.h"
#include "view.h"

#include <stdbool.h>
#include <stdio.h>

/* CSV for programs: RFC 4180 but for the line ends. Numbers are as recorded. Text is quoted, and as
 * it was, but for what a spreadsheet would take for a formula that calls something, and for what a
 * terminal would obey where standard output is one. */

struct csv {
    FILE *file;
    bool inside; /* a line has begun */
};

/* A field of the line; NULL, null, NAN, lists and objects: an empty one. */
void csv_text(struct csv *csv, const char *text);
void csv_value(struct csv *csv, const struct value *value);
/* The digits that make the number again. */
void csv_number(struct csv *csv, double number);
/* The field "" for NULL and for what is no text. */
void csv_name(struct csv *csv, const struct value *value);
/* "load-short,steal" of a list of texts. */
void csv_list(struct csv *csv, const struct value *list);
/* As it is: a name of a column, a number. */
void csv_plain(struct csv *csv, const char *text);
/* Ends the line. */
void csv_end(struct csv *csv);

/* Prints CSV, a line for each run of the selected experiments in the order of
 * folders, after the names of the columns. False: it could not be written. */
bool runs_print(const struct folders *folders, const struct wanted *wanted,
                struct problems *problems);

#endif

// What a format reads, and what needs none.
#ifndef REPORT_FORMATS_H
#define REPORT_FORMATS_H

#include "report.h"

#include <stdio.h>

// ---- cells.c

// What a format reads of a cell, to be freed: a line of JSON, with its runs by condition
// (wanted->lists), or as texts, each number with its unit (rows); or lines of CSV (figures). first:
// of the cells of its experiment, which has what is of all of them.
char *cell_text(const struct cell *cell, const struct wanted *wanted, bool first);

// ---- table.c

// The table that ends a measurement, one condition a row,
// and what is said above and below it, as JSON, to be freed.
char *table_of(const struct experiment *experiment);

// ---- head.c

// What a format reads first, a line, to be freed: jostle.report/1 but for its cells; for rows also
// {legend, level, texts, columns, metrics, experiment}, for the page also {settings}.
char *head_of(const char *name, struct collected *collected, const struct campaigns *campaigns,
              const struct wanted *wanted);

// ---- terminal.c

// Lays out on stdout what other formats lay out from the same texts: a table for each target, in
// colour unless NO_COLOR is set, as wide as stdout's terminal, where that is one (COLUMNS is
// stronger). head: as head_of() has it; rows: each as JSON, those of a target next to each other.
// verbose: notes, too. False: stdout cannot be written.
bool terminal_print(const char *head, const char *const *rows, size_t count, bool verbose);

// ---- csv.c

// CSV for programs: RFC 4180 but for the line ends. Numbers are as recorded. Text is quoted, and as
// it was, but for what a spreadsheet would take for a formula that calls something, and for what a
// terminal would obey where standard output is one.

struct csv {
    FILE *file;
    bool inside; // a line has begun
};

// A field of the line; NULL, null, NAN, lists and objects: an empty one.
void csv_text(struct csv *csv, const char *text);
void csv_value(struct csv *csv, const struct value *value);
// The digits that make the number again.
void csv_number(struct csv *csv, double number);
// As it is: a name of a column, a number.
void csv_plain(struct csv *csv, const char *text);
// Ends the line.
void csv_end(struct csv *csv);

// Prints CSV, a line for each run of the selected experiments in the order of
// folders, after the names of the columns. False: it could not be written.
bool runs_print(const struct folders *folders, const struct wanted *wanted,
                struct problems *problems);

// ---- figures.c

// The long form for R, pandas, DuckDB: a line for each figure of each condition of a cell.

// The names of the columns, as the fields of a line without its end; to be freed.
char *figures_columns(void);
// The cell's lines of CSV, without the end of the last one, to be freed.
char *figures_of(const struct cell *cell);

#endif

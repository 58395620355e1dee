// What makes cells of the matrix's files (matrix/*.conf): the lines of their sections are applied
// from top to bottom, for each combination of the cases of axes. CONTRIBUTING.md describes them.

#ifndef BENCH_MATRIX_H
#define BENCH_MATRIX_H

#include "bench.h"
#include "harness/study/config.h"

struct matrix {
    const struct bench_request *request;
    json_t *parts, *part;   // part: the one that is being made, one of parts
    json_t *names;          // of cells
    json_t *axes;           // {name: [variables, ...]}
    struct config config;   // the files
    const struct entry *at; // the line that is applied; NULL: none
};

// What lines are applied to.
struct filling {
    struct matrix *matrix;
    json_t *variables;
    json_t *cell, *peer; // the ones that are being made; NULL: none
};

// What a line does with its value, of which it may make words. False: nothing more is done with the
// section.
typedef bool line_does(struct filling *filling, char *value);

// ---- lines.c: what stands in a line

// Ends the program with the file and the line that is applied.
void matrix_refuse(const struct matrix *matrix, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

// The section [kind "name"], to be freed by section_free(). Refuses one that is not there.
struct section matrix_section(const struct matrix *matrix, const char *kind, const char *name);

// The value of an expression: a variable that is not there is 0, and a text that is not a number 1.
double matrix_value(const struct matrix *matrix, const char *text, const json_t *variables);
// The text with what {NAME}, {NAME:FORMAT}, {EXPRESSION} and {@FIELD} stand for; to be freed.
char *matrix_fill(const struct matrix *matrix, const char *text, const json_t *variables);

// The next word of a value, without it; and the value of the expression that it is.
char *line_word(const struct filling *filling, char **value);
double line_number(const struct filling *filling, char **value);
// A unit; `-` is none.
const char *line_unit(const char *word);
void line_put(json_t *object, const char *key, const char *value);

// ---- axes.c

// The cases of an axis: of the machine and the command line, or of its section.
const json_t *axis_cases(const struct matrix *matrix, const char *name);

// ---- cells.c: lines that make a cell

// A line whose words are members of the cell.
bool line_shape(struct filling *filling, const char *key, char *value);
line_does does_name, does_label, does_figure, does_take, does_column, does_command, does_skip,
    does_peak_of_cpu, does_cpus, does_series;

// Gives a row of the runs of another cell that one's peers, load and fate.
void cell_settle(json_t *cell, const json_t *cells);
// Refuses a cell that lacks something.
void cell_check(const struct matrix *matrix, const json_t *cell);

// ---- curves.c: lines that make charts

line_does does_chart, does_point;

#endif

#ifndef CAMPAIGN_PLAN_H
#define CAMPAIGN_PLAN_H

// A plan: jostle.campaign/1, as JSON, the cells of it that are wanted, and what the commands print
// of them for the shell.

#include "common/record_json.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Reads a plan. Ends the program with 1 where the file cannot be read. To be released.
json_t *plan_read(const char *path);

// A member that is a number, or otherwise.
double number_of(const json_t *object, const char *name, double otherwise);
// A setting of a cell: {settings: {name: "0.05"}}, as a number.
double setting_of_cell(const json_t *cell, const char *name, double otherwise);
// FOLDER/cells/NAME/FILE; file may be "". Returns path.
const char *cell_path(const char *folder, const char *name, const char *file, char path[PATH_MAX]);

struct choice {
    const char *only;  // a shell pattern of names, or of what sessions share; NULL: all
    const char *cells; // numbers such as 3-7,9; NULL: all
    uint64_t session;  // 0: all
};
// The cells that are chosen, as an array. Ends the program with 2 where none is, or where the
// numbers are none. To be released.
json_t *plan_choose(const json_t *plan, const struct choice *choice);

// How many nodes a job needs for the loads of all cells: at least 1.
long plan_nodes(const json_t *plan);
// Whether a cell has `input`, the file on the stdin of each run.
bool plan_has_input(const json_t *plan);

// A campaign that repeats sessions: every cell is measured several times, each time in a folder of
// its own, in fresh processes, and far from the time before. What differs from session to session
// is then in the figures.
enum { SESSIONS_MOST = 1000 };

// Appends the cells of the sessions 2 to repeat: the whole campaign once, then again. Session 1
// keeps its names, so that a campaign can be repeated when its first session is measured already;
// the others are NAME.session2 and so on, with "of" the first one's name, and with a seed of their
// own where the file gives one. All get "session". With a repeat of 1 nothing is changed.
void sessions_repeat(json_t *cells, unsigned repeat);
// The session of a cell: 1 where it has none.
unsigned session_of(const json_t *cell);

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
// Text with one _ for each character that is none of allowed; NULL: all are.
void print_safe(FILE *stream, const char *text, const char *allowed);
// The exit status: 0 when all that was printed has been written, else 1: exit() says so
// (messages.h).
int print_end(void);

#endif

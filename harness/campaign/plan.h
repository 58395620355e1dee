#ifndef CAMPAIGN_PLAN_H
#define CAMPAIGN_PLAN_H

/* A plan: jostle.campaign/1, as JSON, and the cells of it that are wanted. */

#include "members.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Reads a plan. Ends the program with 1 where the file cannot be read. To be
 * released. */
json_t *plan_read(const char *path);

/* A setting of a cell: {settings: {name: "0.05"}}, as a number. */
double setting_of_cell(const json_t *cell, const char *name, double otherwise);

struct choice {
    const char *only;  /* a shell pattern of names, or of what sessions share; NULL: all */
    const char *cells; /* numbers such as 3-7,9; NULL: all */
    uint64_t session;  /* 0: all */
};
/* The cells that are chosen, as an array. Ends the program with 2 where none is, or
 * where the numbers are none. To be released. */
json_t *plan_choose(const json_t *plan, const struct choice *choice);

/* How many nodes a job needs for the loads of all cells: at least 1. */
long plan_nodes(const json_t *plan);

/* Whether a cell has `input`, the file on the stdin of each run. */
bool plan_has_input(const json_t *plan);

#endif

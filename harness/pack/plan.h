#ifndef PACK_PLAN_H
#define PACK_PLAN_H

#include "request.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* pack-plan.json: what a pack measures, as its command line and its trial have it. */

/* The plan of a command line, a new reference. Wrong use ends the program, also what the machine
 * has no room for. */
json_t *plan_make(const struct request *request);

/* Writes it into DIR, which is made where it is not there. With `resume` a plan that is there has
 * to be the same, and stays. False after a message. */
bool pack_plan_write(const json_t *plan, const char *dir, bool resume);

/* The same that is there already. NULL after a message. */
json_t *plan_load(const char *dir);
/* Replaces it. False after a message. */
bool plan_keep(const json_t *plan, const char *dir);

/* The name for its folder: that of the (first) program. Borrowed. */
const char *plan_name(const json_t *plan);

/* Notes what DIR/trial.txt, the output of one run of the launcher, says: how long a copy takes by
 * itself, and how many the memory has room for. False after a message: it says nothing, or
 * there is no memory for two. */
bool plan_take_trial(json_t *plan, const char *dir);

/* Numbers of it. */
size_t plan_programs(const json_t *plan);
size_t plan_most(const json_t *plan); /* copies to be measured at most */
double plan_setting(const json_t *plan, const char *name);
double plan_confidence(const json_t *plan);

/* The words that run so many copies of the plan's programs (0: each program alone, one after the
 * other), with the launcher itself in front. A new reference. */
json_t *launcher_words(const json_t *plan, size_t copies);
/* The same, quoted for a shell, to be freed. */
char *launcher_command(const json_t *plan, size_t copies);

#endif

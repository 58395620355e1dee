#ifndef EXPERIMENT_PLAN_H
#define EXPERIMENT_PLAN_H

#include "experiment.h"

/* Writes to stdout what the shell has to start, as strings ended by NUL: a key
 * and its value in turn; a key that comes again adds a value. False: it could not
 * be written.
 *
 *   folder /ABSOLUTE/PATH   command_text QUOTED-TARGET
 *   condition NAME          one for each, in order
 *   created, quiet, verbose, show_output, cell, resume, complete: 1 where true
 *   json FILE   prepare COMMAND   cleanup COMMAND   input /ABSOLUTE/PATH
 *   cold 1   cold_path PATH   max_time_us N
 *   meter WORD              the arguments of meter
 *   load NAME               begins a load, in the order in which they start; then
 *     load_condition NAME, load_node NAME or "", load_listens 1, load_word WORD:
 *     the command line */
bool plan_write(struct experiment *experiment);

#endif

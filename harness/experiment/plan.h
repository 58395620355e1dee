#ifndef EXPERIMENT_PLAN_H
#define EXPERIMENT_PLAN_H

#include "experiment.h"

/* Writes to stdout what the shell has to start, as strings ended by NUL: a key
 * and its value in turn; a key that comes again adds a value. False: it could not
 * be written. Where true, the value is 1.
 *
 *   - folder PATH, absolute; created: it was not there before; named: by the user
 *   - quiet, verbose, show_output, show_stdout, cell, resume, complete
 *   - json FILE; stderr FILE, of the target; input PATH; max_time_us N
 *   - cold; cold_path PATH
 *   - program WORD, the first of the target's
 *   - extracts: meter searches the output, and says first that the target has ended
 *   - command_text QUOTED, of each of meter's commands, in order; behind it, where it has
 *     them, command_folder PATH (where it runs), command_setup, command_prepare,
 *     command_conclude, command_cleanup COMMAND
 *   - condition NAME, one for each, in order; with several commands, behind it
 *     condition_variant N, the number of its command (from 0), and condition_load NAME:
 *     it runs with the loads whose load_condition that is (else with those of its name)
 *   - meter WORD, the arguments of meter
 *   - service QUOTED, service_word WORD (the arguments of its meter), keep_service
 *   - load NAME begins a load, in the order in which they start; then load_condition NAME,
 *     load_node NAME or "", load_listens, load_word WORD: the command line
 *   - resume_word WORD, of the command line that continues the experiment */
bool plan_write(struct experiment *experiment);

/* Where the target's stdout goes. */

/* Whether it is /dev/null: nobody wants it. */
bool output_is_null(const struct experiment *experiment);

/* The first program of the variants that does less where its stdout is /dev/null, which it
 * is; NULL: none does. */
const char *output_missed_by(const struct experiment *experiment);

#endif

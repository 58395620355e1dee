#ifndef EXPERIMENT_PLAN_H
#define EXPERIMENT_PLAN_H

#include "experiment.h"

/* Writes to stdout what the shell has to start, as strings ended by NUL: a key
 * and its value in turn; a key that comes again adds a value. False: it could not
 * be written.
 *
 *   folder /ABSOLUTE/PATH
 *   program WORD            the first of the target's
 *   command_text QUOTED     of each of meter's commands, in order; behind it, where it has
 *     them, command_folder PATH (where it runs), command_setup, command_prepare, command_conclude,
 * command_cleanup COMMAND condition NAME          one for each, in order; with several commands,
 * behind it condition_variant N, the number of its command (from 0), and condition_load NAME: it
 * runs with the loads whose load_condition that is (else with those of its name) created, quiet,
 * verbose, show_output, cell, resume, complete: 1 where true json FILE   input /ABSOLUTE/PATH cold
 * 1   cold_path PATH   max_time_us N meter WORD              the arguments of meter service COMMAND
 * LINE    then keep_service 1 where true, and service_word WORD     the arguments of the meter that
 * keeps it load NAME               begins a load, in the order in which they start; then
 *     load_condition NAME, load_node NAME or "", load_listens 1, load_word WORD:
 *     the command line */
bool plan_write(struct experiment *experiment);

#endif

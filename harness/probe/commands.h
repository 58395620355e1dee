#ifndef PROBE_COMMANDS_H
#define PROBE_COMMANDS_H

/* The subcommands of the program, each in a file of its name. Each reads its own options from
 * argv (argv[0]: the subcommand), prints its record on stdout, and returns the exit status. */

int probe_sample(int argc, char **argv); /* one record of what the reporters show */
int probe_serve(int argc, char **argv);  /* a sample for each line on stdin */

#endif

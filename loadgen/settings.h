#ifndef LOADGEN_SETTINGS_H
#define LOADGEN_SETTINGS_H

/* The command line of a load: its own options, and those that every load has. */

struct run;

/* Parses `loadgen LOAD ...` (argv[0] is replaced) into run->common, run->settings
 * and run->arguments; wrong use ends the program with exit 2. */
void settings_parse(struct run *run, int argc, char **argv);
void settings_free(struct run *run);

#endif

#ifndef PROBE_COMMANDS_H
#define PROBE_COMMANDS_H

/* The subcommands of the program, each in a file of its name. Each reads its own options from
 * argv (argv[0]: the subcommand), prints its record on stdout, and returns the exit status. */

int probe_coverage(int argc, char **argv);  /* do intervals hold what they promise? */
int probe_now(int argc, char **argv);       /* `jostle probe`, also with --watch */
int probe_reference(int argc, char **argv); /* the steps of `jostle probe --reference` */
int probe_sample(int argc, char **argv);    /* one record of what the reporters show */
int probe_show(int argc, char **argv);      /* what a watch has written, for jostle report */
int probe_serve(int argc, char **argv);     /* a sample for each line on stdin */

#endif

// Runs a command that undoes something, to its end.
#ifndef ARGUMENTS_UNDO_H
#define ARGUMENTS_UNDO_H

// undo WHAT SECONDS start|signal|signalled COMMAND [ARGUMENT...]: runs a command that undoes
// something to its end, whatever signal comes to us or to the process group that we were started
// in. WHAT names it in messages. It is killed after SECONDS, which count from the start, or from
// the first signal to us; `signalled`: from the start, as there was one before. Where it takes long
// after the first signal, and at each further one, we say what is waited for. Returns the exit
// status of the command, 128 + the signal that ended it, 124 where the deadline passed, 2 for wrong
// use.
int undo(int argc, char **argv);

#endif

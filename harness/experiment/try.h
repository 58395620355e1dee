// Command lines that are run to try them.
#ifndef EXPERIMENT_TRY_H
#define EXPERIMENT_TRY_H

#include "common/options.h"

// Has a shell run words. False: they failed. Adds what they have written to lines. *said: the last
// line, of the lines with "jostle: " in front where there are such, without that.
bool words_run(struct arena *arena, const char *script, const struct option_list *words,
               struct option_list *lines, const char **said);
// Runs a command to its end. False: it failed. *said: the last line that it wrote, without "jostle:
// ".
bool words_try(struct arena *arena, const struct option_list *words, const char **said);

#endif

// A program as a load: run again and again, with its stdin and what comes before a run.
#ifndef PROFILE_LOOP_H
#define PROFILE_LOOP_H

#include <jansson.h>

// "NAME=exec --loop ...", as `--load` takes it, to be freed. program: an object with `words`,
// `input`, `prepare` and `ignore_failure` (null: none), such as that of a jostle.program/1.
char *loop_text(const char *name, const json_t *program);

#endif

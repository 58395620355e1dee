#ifndef LOADGEN_EXEC_TITLE_H
#define LOADGEN_EXEC_TITLE_H

/* Gives this process another name, of up to 15 bytes, also as its command line in ps: the memory
 * of argv is written over, so that nothing may point there any more. */
void title_set(const char *name);

#endif

/* A counter that is changed by locked instructions: in one cache line, or split
 * across two, which locks the bus of the whole machine. */
#ifndef LOADGEN_LOCK_WORD_H
#define LOADGEN_LOCK_WORD_H

#include <stdbool.h>
#include <stdint.h>

#define LOCK_WORD_BYTES 4096 /* of memory for one, aligned to as much: nobody else's line */

/* Adds 1 so many times. */
void word_add(void *memory, uint64_t times);
/* What it has come to; atomic, also while others add. */
uint64_t word_read(void *memory);

/* The same for one that lies across two cache lines. Each of these is a split lock. */
void word_add_split(void *memory, uint64_t times);
uint64_t word_read_split(void *memory);

enum split_state {
    SPLIT_WORKS,
    SPLIT_SLOW,    /* the kernel delays each one by milliseconds */
    SPLIT_FATAL,   /* the kernel ends a program that does it */
    SPLIT_UNKNOWN, /* it could not be tried; errno */
    SPLIT_NONE     /* this CPU has no such instruction */
};

/* Tries it, in a process of its own. */
enum split_state word_try_split(void);

#endif

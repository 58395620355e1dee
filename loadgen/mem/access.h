#ifndef LOADGEN_MEM_ACCESS_H
#define LOADGEN_MEM_ACCESS_H

/* Blocks of one byte: single accesses, each of which waits for the one before, so that
 * their time is a latency. */

#include <stddef.h>
#include <stdint.h>

enum mem_access {
    ACCESS_NONE,         /* whole blocks are moved: see sweep.h */
    ACCESS_LOAD_RANDOM,  /* chase_run(): the address is what the load before has read */
    ACCESS_LOAD_NEXT,    /* the same, and it is the next byte */
    ACCESS_STORE_RANDOM, /* a store into a random line, visible to all before the next */
    ACCESS_STORE_NEXT,   /* the same, and it is the next byte */
};

/* What is measured, in words. */
extern const char *const mem_access_names[];

/* Puts memory out of all caches, where a program can (x86-64, aarch64). What filling it has left
 * there, a quarter of a footprint of four L3s, would be found by the loads of the first tenths of a
 * second, and never again. */
void mem_access_flush(const char *memory, size_t bytes);
/* `count` dependent loads of one byte each from *at on through memory of `bytes` zeros, round
 * and round. */
void mem_access_load_next(const char *memory, size_t bytes, size_t *at, size_t count);
/* `count` stores of one byte, each followed by a full fence: it is complete when its line
 * is in this CPU's cache, exclusively, and the store buffer is empty. */
void mem_access_store_next(char *memory, size_t bytes, size_t *at, size_t count);
void mem_access_store_random(char *memory, size_t bytes, uint64_t *random, size_t count);

#endif

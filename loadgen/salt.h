#ifndef LOADGEN_SALT_H
#define LOADGEN_SALT_H

#include <stdint.h>

/* A number that no other process has, whenever it was started: a seed for data that
 * are to be like no others. */
uint64_t salt(void);

#endif

#ifndef FUZZ_MUTATE_H
#define FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Changes an input a little, as the state of a random generator (common/random.h) has it. data has
 * room for `most` bytes; returns how many it then has. */

/* As bytes. */
size_t mutate_bytes(uint8_t *data, size_t size, size_t most, uint64_t *random);
/* One of its lines, a JSON value, in which a value is changed, left out, given twice or put
 * somewhere else. 0: no line is JSON, or the result is too long; data is as it was. */
size_t mutate_json_lines(uint8_t *data, size_t size, size_t most, uint64_t *random);

#endif

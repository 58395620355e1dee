#ifndef FUZZ_H
#define FUZZ_H

/* A fuzz target is one file of the folder above, which defines the two names of the first block.
 * It is linked twice: with libFuzzer, which looks for inputs (make fuzz), and with replay.c, which
 * gives it known ones, and needs no clang (bats-tests/fuzz.bats).
 *
 * What a target checks by itself is what the parser promises beyond not to crash: what was
 * written is read again as the same, an error has a text, a number is within its bounds. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How inputs are mutated: as bytes; or each line as a JSON value, also as bytes at times. */
enum fuzz_input { FUZZ_BYTES, FUZZ_JSON_LINES };
extern const enum fuzz_input fuzz_input;
/* One input; 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise of the parser: ends the program by SIGABRT where it does not hold. */
#define fuzz_require(holds) ((holds) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #holds))
void fuzz_broken(const char *file, int line, const char *promise) __attribute__((noreturn));

/* The input as a text, cut at its first 0; to be freed. */
char *fuzz_text(const uint8_t *data, size_t size);
/* The input as a file to be read; to be closed. */
FILE *fuzz_stream(const uint8_t *data, size_t size);

/* Calls function(context), which may end the program as wrong use does (usage_error(), exit()).
 * True: it returned. What it has allocated is lost where it did not, and is no leak. */
bool fuzz_returns(void (*function)(void *context), void *context);

/* A folder of this process, for files, in TMPDIR (/tmp); it is removed at the end of the program.
 */
const char *fuzz_folder(void);
/* Writes FOLDER/NAME. Returns its path, which stays until the next one. */
const char *fuzz_write(const char *name, const uint8_t *data, size_t size);
/* Cuts the next line off an input, as fuzz_line() does, and writes it as FOLDER/NAME. */
void fuzz_write_line(const char *name, const uint8_t **data, size_t *size);
/* Cuts the next line off an input; *line is NULL at its end. Returns its length without the
 * newline. */
size_t fuzz_line(const uint8_t **data, size_t *size, const uint8_t **line);

#endif

#ifndef WORKLOADS_ARGUMENTS_H
#define WORKLOADS_ARGUMENTS_H

/* How every workload reads its arguments and says that it cannot continue. A
 * header alone, so that each program stays one file that compiles by itself;
 * PROGRAM, its name, is defined before this is included. */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* One line on stderr, then the end with STATUS: 1 a failure, 2 wrong arguments. */
__attribute__((format(printf, 2, 3))) static _Noreturn void fail(int status, const char *format,
                                                                 ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)fputs(PROGRAM ": ", stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
    va_end(arguments);
    exit(status);
}

/* Prints TEXT, the answer to --help, and ends: 0, or 1 when it cannot be written. */
static inline _Noreturn void show_help(const char *text)
{
    exit(fputs(text, stdout) == EOF || fflush(stdout) == EOF);
}

/* The argument NAME, given as TEXT: a whole number from LOW to HIGH, or the end. */
static inline uint64_t number(const char *name, const char *text, uint64_t low, uint64_t high)
{
    char *end;
    errno = 0;
    const unsigned long value = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end != '\0' || errno != 0 || value < low ||
        value > high) {
        fail(2, "%s is '%s': give a whole number from %" PRIu64 " to %" PRIu64, name, text, low,
             high);
    }
    return value;
}

#endif

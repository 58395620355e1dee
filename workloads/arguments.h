#ifndef WORKLOADS_ARGUMENTS_H
#define WORKLOADS_ARGUMENTS_H

// How every workload reads its arguments and says that it cannot continue. A
// header alone, so that each program stays one file that compiles by itself;
// PROGRAM, its name, is defined before this is included.

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// One line on stderr, then the end with STATUS: 1 a failure, 2 wrong arguments.
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

// Prints TEXT, the answer to --help, and ends: 0, or 1 when it cannot be written.
static inline _Noreturn void show_help(const char *text)
{
    exit(fputs(text, stdout) == EOF || fflush(stdout) == EOF);
}

// Answers --help, and returns whether --spoil is among the options; there are no others. The first
// argument is argv[optind].
static inline bool takes_spoil(int argc, char **argv, const char *help)
{
    static const struct option names[] = {
        {"help", no_argument, NULL, 'h'},
        {"spoil", no_argument, NULL, 's'},
        {NULL, 0, NULL, 0},
    };
    bool spoil = false;
    opterr = 0;
    for (int name; (name = getopt_long(argc, argv, "h", names, NULL)) != -1;) {
        if (name == 'h')
            show_help(help);
        if (name != 's')
            fail(2, "unknown option in '%s': see " PROGRAM " --help", argv[optind - 1]);
        spoil = true;
    }
    return spoil;
}

// The end of a program that has printed its result: the exit status, 0, where all of it has been
// written.
static inline int written(void)
{
    if (ferror(stdout) || fflush(stdout) != 0)
        fail(1, "cannot write to stdout: see where it leads");
    return 0;
}

// The argument NAME, given as TEXT: a whole number from LOW to HIGH, or the end.
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

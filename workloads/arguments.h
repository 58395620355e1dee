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

// The next of the options NAMES: its letter, or -1 after the last one. Answers --help, 'h'; the
// first argument is then argv[optind].
static inline int next_option(int argc, char **argv, const struct option *names, const char *help)
{
    opterr = 0;
    const int name = getopt_long(argc, argv, ":h", names, NULL);
    if (name == 'h')
        show_help(help);
    if (name == ':')
        fail(2, "%s lacks its value: see " PROGRAM " --help", argv[optind - 1]);
    if (name == '?')
        fail(2, "unknown option in '%s': see " PROGRAM " --help", argv[optind - 1]);
    return name;
}

// Answers --help, and returns whether --spoil is among the options; there are no others.
static inline bool takes_spoil(int argc, char **argv, const char *help)
{
    static const struct option names[] = {
        {"help", no_argument, NULL, 'h'},
        {"spoil", no_argument, NULL, 's'},
        {NULL, 0, NULL, 0},
    };
    bool spoil = false;
    while (next_option(argc, argv, names, help) != -1)
        spoil = true;
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

// The next number of splitmix64 (Steele, Lea, Flood 2014): all 64 bits random,
// the same on every machine for the same first STATE.
static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif

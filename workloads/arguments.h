// How every workload reads its arguments and says that it cannot continue.
#ifndef WORKLOADS_ARGUMENTS_H
#define WORKLOADS_ARGUMENTS_H

// A header alone, so that each program stays one file that compiles by itself;
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
        value > high)
        fail(2, "%s is '%s': give a whole number from %" PRIu64 " to %" PRIu64, name, text, low,
             high);
    return value;
}

// An option, and where its value goes: a flag, a text, or a whole number from 1 to HIGH.
struct argument {
    const char *name; // "--spoil"; NULL: the end of the table
    bool *flag;
    const char **text;
    uint64_t *number, high;
};

// Reads the options of ROWS (10 at most), and answers --help. The first argument is then
// argv[optind].
static inline void read_options(int argc, char **argv, const struct argument *rows,
                                const char *help)
{
    struct option names[12] = {{"help", no_argument, NULL, 'h'}};
    for (int i = 0; rows[i].name; i++)
        names[i + 1] = (struct option){
            rows[i].name + 2, rows[i].flag ? no_argument : required_argument, NULL, 256 + i};
    opterr = 0;
    for (int name; (name = getopt_long(argc, argv, ":h", names, NULL)) != -1;) {
        if (name == 'h')
            show_help(help);
        if (name == ':')
            fail(2, "%s lacks its value: see " PROGRAM " --help", argv[optind - 1]);
        if (name == '?')
            fail(2, "unknown option in '%s': see " PROGRAM " --help", argv[optind - 1]);
        const struct argument *row = &rows[name - 256];
        if (row->flag)
            *row->flag = true;
        else if (row->text)
            *row->text = optarg;
        else
            *row->number = number(row->name, optarg, 1, row->high);
    }
}

// Answers --help, and returns whether --spoil is among the options; there are no others.
static inline bool takes_spoil(int argc, char **argv, const char *help)
{
    bool spoil = false;
    read_options(argc, argv, (const struct argument[]){{"--spoil", .flag = &spoil}, {0}}, help);
    return spoil;
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

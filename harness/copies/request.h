#ifndef COPIES_REQUEST_H
#define COPIES_REQUEST_H

// What `copies` is to start: its command line.

#include "common/machine.h"
#include "common/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One of the programs, which copies are dealt in turn.
struct program_words {
    const char *name;  // of --mix; NULL: the only one
    char **words;      // ended by NULL
    size_t word_count; // at least one
};

struct copies_request {
    uint64_t copies;
    struct option_list mix;
    const char *pin, *input;
    bool own_folder, in_turn;
    struct options *options;
    struct program_words *program;
    size_t program_count;
    struct cpu_list *seat; // of copy i: seat[i % seat_count]; NULL: nothing is pinned
    size_t seat_count;
};

// Answers --help; wrong use ends the program.
void copies_request_read(struct copies_request *request, int argc, char **argv);
void copies_request_free(struct copies_request *request);

#endif

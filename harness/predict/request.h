// The command line of `jostle predict`.
#ifndef PREDICT_REQUEST_H
#define PREDICT_REQUEST_H

#include "common/options.h"

#include <stdbool.h>
#include <stdint.h>

struct request {
    bool with_itself, together, check, force, quiet;
    double at_most; // 0: none
    const char *place, *records, *format, *output, *json;
    struct option_list measured, pairs;
    uint64_t min_runs, max_runs;
    int64_t max_time_ns;
    bool steps;     // hidden: print what --check measures
    bool plan;      // hidden: print what the shell is to do, and the record
    char **operand; // profiles, ended by NULL; of --pairs more folders
    struct options *given;
};

// Reads the command line; --help and wrong use end the program. `format` is then the name of
// a format, from --format, the ending of --output, or the preset.
void request_read(struct request *request, int argc, char **argv);
void request_free(struct request *request);

#endif

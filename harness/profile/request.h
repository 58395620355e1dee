// What the user wants profiled, from the command line to `profile-plan.json`, which every later
// step reads.
#ifndef PROFILE_REQUEST_H
#define PROFILE_REQUEST_H

#include "harness/pressure/kinds.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REQUEST_LEVELS = 4 };
#define REQUEST_PLAN "profile-plan.json"

struct request {
    // As typed.
    const char *kinds, *levels, *place, *place_cpus, *target_cpus, *load_cpus, *input, *prepare,
        *conclude, *setup, *cleanup, *timeout, *nice, *ignore_failure, *output, *json;
    int64_t max_time_ns;
    double confidence;
    uint64_t seed, max_runs;
    bool check_noise, no_pressure, dry_run, resume, quiet, verbose;
    const char *next, *derive, *noise, *show; // what the shell calls: folder or file
    char **words;                             // of the program
    size_t word_count;
    // Found out.
    char *name, *file, *folder; // of the profile; to be freed
    struct options *given;
};

// Reads and checks the command line; wrong use ends the program.
void profile_request_read(struct request *request, int argc, char **argv);

// The plan, a jostle.profile-plan/1, a new reference: name, words, place, kinds and levels, time,
// and `options`, the words that all experiments have. Kinds that are not possible here are in
// its `reasons`.
json_t *request_plan(const struct request *request);

void profile_request_free(struct request *request);

#endif

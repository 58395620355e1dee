#ifndef EXPERIMENT_REQUEST_H
#define EXPERIMENT_REQUEST_H

/* From what the command line gives (TARGET, --variant, --revision) to variants. */

#include "arena.h"
#include "settings.h"
#include "variants.h"

#include "common/options.h"

/* What is to be measured, before parameters are filled in. */
struct request {
    const char **target; /* the words behind the options */
    size_t target_count;
    bool after_dashes;               /* they are behind a -- */
    const struct option_list *names; /* --command-name */
    const struct revisions *revisions;
    bool quiet;
};

/* Makes them. settings->shell becomes the shell that is used; NULL: none. The words of a
 * --variant, or of a TARGET that is one word and no program, are split as a shell splits
 * them, or given to a shell. Wrong use ends the program. */
void request_make_variants(const struct request *request, struct variants *variants,
                           struct arena *arena, struct settings *settings);

#endif

#ifndef EXPERIMENT_EXPERIMENT_H
#define EXPERIMENT_EXPERIMENT_H

/* All that is known of an experiment before its first run. */

#include "arena.h"
#include "folder.h"
#include "loads.h"
#include "metrics.h"
#include "placed.h"
#include "revisions.h"
#include "settings.h"
#include "variants.h"

#include "common/options.h"

#include <jansson.h>

/* Options of one call of jostle, which are not part of the experiment. */
struct session {
    struct option_list loads, names, revisions;
    struct option_list tries;         /* of protect; see protect.h */
    const char *build;                /* NULL: none */
    const char *output, *cell, *json; /* NULL: not given */
    bool resume, quiet, verbose, show_output, no_shell;
    bool quick;     /* of a panorama, see panorama.h */
    int64_t for_ns; /* 0: not given */
};

struct experiment {
    struct arena arena;
    struct settings settings;
    struct metrics metrics;
    struct session session;
    struct options *given;
    const char **target; /* what follows the options: the command to measure */
    size_t target_count;
    bool after_dashes; /* they are behind a -- */
    struct revisions revisions;
    struct variants variants; /* at least one */
    struct conditions conditions;
    struct combinations combinations;
    const char *input; /* absolute path of the target's stdin; NULL: /dev/null */
    struct placed placed;
    const char *account[2]; /* folders of --account */
    size_t accounts;
    struct folder folder;
    json_t *cell;  /* NULL: none */
    bool complete; /* --resume has nothing to do */
    json_t
        *left_out; /* [{setting, why}, ...] that protect cannot set here; NULL: it is no protect */
    bool panorama; /* its loads are ours, and --max-time may be exceeded where runs are long */
};

/* experiment.json, with the machine as it is now. A new reference. */
json_t *experiment_to_json(const struct experiment *experiment);

#endif

// What the command lines of loads mean, which loads are asked (loadgen --describe).
#ifndef EXPERIMENT_DESCRIBE_H
#define EXPERIMENT_DESCRIBE_H

#include "conditions.h"

// The words in front of a load's own that run it with its priority (--load-nice), on the CPUs where
// loads are put (NULL: wherever they may) and with settings.
struct option_list load_surroundings(struct arena *arena, const struct settings *settings,
                                     const char *cpus, const struct option_list *set);
// Asks a load of this node what it is in these surroundings, unless that was asked before. False:
// it is refused, and ->said says why.
bool load_describe(struct asked_loads *asked, struct arena *arena, const struct load *load,
                   const struct option_list *surroundings, struct description *description);
// Sets the description of each load: what it would be in these surroundings; NULL, and of a load of
// another node: only what its words say. Options that are not for a spec end the program.
void conditions_describe(struct conditions *conditions, struct arena *arena,
                         struct asked_loads *asked, const struct option_list *surroundings);
// Whether the load, which is described, has a rate in percent of what must be calibrated first.
bool load_has_percent(const struct load *load);
// The same of a spec of one load, which is asked; *words become loadgen's. A load that is refused
// may have one, a program of the user's (exec:) has none, whatever its own words are.
bool spec_has_percent(struct arena *arena, const char *spec, struct option_list *words);
// Runs a load of this node for a second. False: it failed, or was killed, and *said has the reason.
bool load_runs(struct arena *arena, const struct load *load, const struct option_list *surroundings,
               const char **said);
// Makes each load with settings, which is described, the same as it is without them: as many
// workers, and a percentage of the same rate.
void conditions_keep_loads(struct conditions *conditions, struct arena *arena);

#endif

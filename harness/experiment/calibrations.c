#include "calibrations.h"

#include "percent_limit.h"

#include "common/child.h"
#include "common/pair.h"

#include <stdio.h>

static void put_command(const struct experiment *experiment, const struct load *load)
{
    char path[PATH_MAX];
    if (experiment->placed.load_cpus != NULL) {
        pair_put("word", child_path("start", path));
        pair_put("word", "--cpus");
        pair_put("word", experiment->placed.load_cpus);
        pair_put("word", "--");
    }
    pair_put("word", child_path("loadgen", path));
    for (size_t i = 0; i < load->word_count; i++)
        pair_put("word", load->words[i]);
    pair_put("word", "--calib");
    pair_put("word", "--if-missing");
    pair_put("end", "");
}

bool calibrations_write(struct experiment *experiment)
{
    bool placed = false;
    for (size_t i = 0; i < experiment->conditions.count; i++) {
        const struct condition *condition = &experiment->conditions.condition[i];
        for (size_t j = 0; j < condition->load_count; j++) {
            const struct load *load = &condition->load[j];
            if (load->node != NULL || !has_percent_limit(load->words, load->word_count))
                continue;
            /* The fewer CPUs a load has, the less is 100 %. */
            if (!placed)
                placed_find(&experiment->placed, &experiment->arena, &experiment->settings);
            placed = true;
            put_command(experiment, load);
        }
    }
    return fflush(stdout) == 0 && !ferror(stdout);
}

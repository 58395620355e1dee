// The stages of a pack: experiments whose variants are numbers of copies.

#include "pack.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"
#include "harness/stats/json.h"

bool stages_read(struct stages *stages, const char *dir)
{
    for (stages->count = 0; stages->count < STAGES_MOST; stages->count++) {
        struct measured *stage = &stages->stage[stages->count];
        *stage = (struct measured){.folder = text_of("%s/stages/%zu", dir, stages->count + 1)};
        const bool good = measured_read(stage);
        if (good && stage->has_runs)
            continue;
        measured_free(stage);
        return good;
    }
    return true;
}

void stages_free(struct stages *stages)
{
    for (size_t i = 0; i < stages->count; i++)
        measured_free(&stages->stage[i]);
}

double stage_spent_s(const struct measured *stage)
{
    const double spent_s = json_number_at(stage->status, "spent_s");
    return spent_s > 0 ? spent_s : 0;
}

size_t stage_copies(const struct measured *stage, size_t condition)
{
    const char *name = stage->experiment.settings.conditions[condition];
    return condition == 0 ? 0 : (size_t)strtoul(name, NULL, 10);
}

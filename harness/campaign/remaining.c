// What is left to be measured, with what is known of the time that it takes: also by targets that
// were run once.

#include "campaign.h"

#include "common/memory.h"
#include "common/text.h"

#include <math.h>
#include <string.h>

// Says how the target of a cell failed, with the last line that it wrote to stderr.
static void complain_of_target(const json_t *cell, const json_t *record, const char *stderr_path)
{
    const double code = number_of(record, "exit_code", NAN);
    char last[256] = "", how[64] = "was ended by a signal or the time-out";
    FILE *file = fopen(stderr_path, "re");
    while (file && fgets(last, sizeof last, file))
        continue;
    if (file)
        fclose(file);
    last[strcspn(last, "\n")] = '\0';
    if (!isnan(code))
        snprintf(how, sizeof how, "failed with exit code %.0f", code);
    complain("%s: the target %s%s%s: fix it in the campaign file, or say there that "
             "ignore-failure = true",
             json_text_at(cell, "label"), how, last[0] != '\0' ? ": " : "", last);
}

// {label: seconds of a run}, from meter's records in DIR/NUMBER. Sets *failed where a target did.
static json_t *probes_read(const char *folder, const struct states *states, bool *failed)
{
    json_t *probes = json_object();
    for (size_t i = 0; folder && i < states->count; i++) {
        const json_t *cell = states->list[i].cell;
        OWNED char *path = text_of("%s/%.0f", folder, number_of(cell, "number", 0)),
                   *written = text_of("%s.stderr", path);
        json_auto_t *record = json_read_record(path, JSON_DISABLE_EOF_CHECK, NULL);
        const double wall_s = number_of(record, "wall_s", NAN);
        // A target whose failures count as runs may fail here, too.
        const char *ignored = json_text_at(json_object_get(cell, "settings"), "ignore-failure");
        const bool good =
            number_of(record, "exit_code", 1) == 0 || (ignored && strcmp(ignored, "false") != 0);
        if (good && !isnan(wall_s))
            json_object_set_new(probes, json_text_at(cell, "label"), json_real(wall_s));
        else if (record)
            complain_of_target(cell, record, written);
        *failed = *failed || (record != NULL && !good);
    }
    return probes;
}

json_t *remaining_of(const struct campaign *campaign, bool *failed)
{
    json_auto_t *probes = probes_read(campaign->probes, &campaign->states, failed);
    return remaining_plan(campaign->plan, &campaign->states, probes);
}

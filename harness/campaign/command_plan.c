// The commands of campaign that make a plan of a file, keep it, and say what it does.

#include "campaign.h"

#include "common/memory.h"
#include "common/save.h"
#include "common/text.h"

#include <string.h>

// What a campaign would do on this machine, for those who did not write it.

// Each once, in the order in which they come first.
static void say(json_t *said, const char *role, const char *text)
{
    if (!text || *text == '\0')
        return;
    OWNED char *plain = must(visible_copy(text)), *line = text_of("%s\t%s", role, plain);
    if (!json_object_get(said, line))
        puts(line);
    json_object_set_new(said, line, json_true());
}

// Prints, for the cells that are to be measured, a line ROLE, TEXT for each different command,
// load and setting, and for what runs before each session.
static void actions_print(const struct campaign *campaign)
{
    json_auto_t *said = json_object();
    const char *name;
    json_t *value;
    printf("\n");
    say(said, "session-prepare", json_text_at(campaign->plan, "session_prepare"));
    say(said, "scratch", json_text_at(campaign->plan, "scratch"));
    for (size_t i = 0; i < campaign->states.count; i++) {
        const json_t *cell = campaign->states.list[i].cell;
        if (!campaign->states.list[i].todo)
            continue;
        OWNED char *command = json_words_quoted(json_object_get(cell, "command"));
        say(said, "command", command);
        say(said, "load", json_text_at(cell, "spec"));
        json_object_foreach(json_object_get(cell, "settings"), name, value)
            say(said, name, json_string_value(value));
    }
}

int command_expand(struct campaign *campaign)
{
    struct config config;
    struct save save;
    if (!campaign->file || !campaign->instances || !campaign->workloads || !campaign->plan_path ||
        !campaign->conf)
        usage_error("campaign expand needs --file, --instances, --workloads, --plan and --conf");
    config_read(&config, campaign->file, stdin);
    json_auto_t *plan = expand(&config, campaign);
    const char *path = campaign->plan_path;
    bool written = campaign_plan_write(plan, path);
    // Where nothing is included, the shell copies the file as it is, with its comments.
    if (written && config_includes(&config))
        written = save_begin(&save, path = campaign->conf, SAVE_STATE) &&
                  save_end(&save, config_write(&config, save.file));
    config_free(&config);
    return written || save_complain(path) ? 0 : 1;
}

int command_describe(struct campaign *campaign)
{
    const json_t *plan = campaign->plan;
    const char *name = json_text_at(plan, "name");
    OWNED char *safe = safe_text(name ? name : "campaign", LETTERS "._-"),
               *calibrate = text_of("%.9g", number_of(plan, "calibrate_s", 0)),
               *nodes = text_of("%ld", plan_nodes(plan));
    pair_put("name", safe);
    pair_put("scratch", json_text_at(plan, "scratch"));
    pair_put("calibrate", strcmp(calibrate, "0") == 0 ? NULL : calibrate);
    pair_put("nodes", nodes);
    pair_put("prepares", json_text_at(plan, "session_prepare"));
    pair_put_flag("input", plan_has_input(plan));
    return print_end();
}

int command_plan(struct campaign *campaign)
{
    bool failed = false;
    json_auto_t *plan = remaining_of(campaign, &failed);
    for (size_t i = 0; campaign->names && i < campaign->states.count; i++) {
        const struct state *state = &campaign->states.list[i];
        if (state->todo)
            printf("%.0f\t%s\t%s\n", number_of(state->cell, "number", 0), state->cell_name,
                   state->name);
    }
    if (campaign->actions)
        actions_print(campaign);
    if (!campaign->names && !campaign->actions &&
        json_dumpf(plan, stdout,
                   (campaign->compact ? JSON_COMPACT : JSON_INDENT(2)) | JSON_REAL_PRECISION(12)) ==
            0)
        putchar('\n');
    return print_end() != 0 || failed ? 1 : 0;
}

int command_keep(struct campaign *campaign)
{
    if (!campaign->conf || !campaign->file)
        usage_error("campaign keep needs --conf and --file");
    return folder_hold(campaign->folder, false) && folder_keep_plan(campaign) ? 0 : 1;
}

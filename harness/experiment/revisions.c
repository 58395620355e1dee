// Reads --revision, and learns from the shell where each revision was built.

#include "experiment.h"

#include "common/machine_json.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The next field of a line, which ends at a tab or with the line.
static const char *next_field(struct arena *arena, const char **at)
{
    const size_t length = strcspn(*at, "\t\n");
    const char *field = arena_format(arena, "%.*s", (int)length, *at);
    *at += length + ((*at)[length] == '\t');
    return field;
}

static struct revision *find_revision(const struct revisions *revisions, const char *name)
{
    for (size_t i = 0; i < revisions->count; i++)
        if (strcmp(revisions->revision[i].name, name) == 0)
            return &revisions->revision[i];
    return NULL;
}

static void read_facts(struct revisions *revisions, struct arena *arena, const char *facts)
{
    for (const char *at = facts; at && *at != '\0';) {
        struct revision *revision = find_revision(revisions, next_field(arena, &at));
        const char *commit = next_field(arena, &at);
        const char *tree = next_field(arena, &at);
        const char *folder = next_field(arena, &at);
        at += *at == '\n';
        if (!revision)
            continue;
        revision->commit = *commit == '\0' ? NULL : commit;
        revision->tree = tree;
        revision->folder = folder;
    }
}

void revisions_read(struct revisions *revisions, struct arena *arena,
                    const struct option_list *texts)
{
    *revisions = (struct revisions){
        .revision = arena_take(arena, (texts->count + 1) * sizeof *revisions->revision)};
    for (size_t i = 0; i < texts->count; i++) {
        struct revision revision = {0};
        revision.text = name_read(arena, texts->item[i], &revision.name);
        if (!revision.name)
            revision.name =
                strcmp(revision.text, ".") == 0 ? "worktree" : name_clean(arena, revision.text);
        if (*revision.text == '\0')
            usage_error("--revision %s: which? Give NAME=REVISION, such as old=main",
                        texts->item[i]);
        if (find_revision(revisions, revision.name))
            usage_error("--revision %s: the name %s is taken: give each revision a NAME= of its "
                        "own",
                        texts->item[i], revision.name);
        revisions->revision[revisions->count++] = revision;
    }
    read_facts(revisions, arena, getenv(REVISIONS_FACTS));
}

bool revisions_write(const struct revisions *revisions, const char *build, const char *records,
                     const json_t *old)
{
    pair_put("records", records);
    pair_put("build", build);
    for (size_t i = 0; i < revisions->count; i++) {
        const struct revision *revision = &revisions->revision[i];
        pair_put("revision", revision->name);
        pair_put("revision_text", revision->text);
        JSON_EACH (variant, json_object_get(old, "variants")) {
            // Its tree in an earlier record.
            const char *name = json_text_or_empty(variant, "name");
            if (strcmp(name, revision->name) == 0)
                pair_put("revision_tree",
                         json_text_at(json_object_get(variant, "revision"), "tree"));
        }
    }
    return fflush(stdout) == 0;
}

json_t *revision_to_json(const struct revision *revision)
{
    if (!revision)
        return json_null();
    return json_pack("{s:o, s:o, s:o}", "name", text_to_json(revision->text), "commit",
                     text_to_json(revision->commit), "tree", text_to_json(revision->tree));
}

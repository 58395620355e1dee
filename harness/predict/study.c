#include "study.h"

#include "common/file.h"
#include "common/messages.h"
#include "common/text.h"

#include <errno.h>
#include <fts.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ending[] = ".profile.json";

static bool no_memory(void)
{
    return complain("no memory for this study");
}

// The name of a profile's file without its ending; NULL: it is another file.
static char *name_of(const char *file)
{
    const size_t length = text_before(file, ending);
    return file[length] == '\0' ? NULL : strndup(file, length);
}

static bool add_profile(struct study *study, const char *path, char *name)
{
    char why[PROFILE_WHY];
    struct study_profile *one = calloc(1, sizeof *one);
    struct study_profile **more =
        realloc(study->profile, (study->profiles + 1) * sizeof *study->profile);
    if (more)
        study->profile = more;
    if (one)
        *one = (struct study_profile){.path = strdup(path), .name = name};
    else
        free(name);
    if (!one || !more || !one->path) {
        free(one);
        return no_memory();
    }
    profile_begin(&one->profile);
    study->profile[study->profiles++] = one;
    return profile_read(&one->profile, path, why, sizeof why) || complain("%s: %s", path, why);
}

static bool check_once(const struct study *study)
{
    const struct study_profile *last = study->profile[study->profiles - 1];
    const struct study_profile *first = study_find(study, last->name, last->profile.place);
    return first == last || complain("%s: %s is the same program at the same place: remove one",
                                     last->path, first->path);
}

static bool read_profiles(struct study *study, const char *folder)
{
    char *path;
    if (asprintf(&path, "%s/profiles", folder) < 0)
        return no_memory();
    char *const roots[] = {path, NULL};
    FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    bool good = walk != NULL;
    for (FTSENT *entry; good && (entry = fts_read(walk));) {
        char *name = entry->fts_info == FTS_F ? name_of(entry->fts_name) : NULL;
        good = !name || (add_profile(study, entry->fts_path, name) && check_once(study));
    }
    if (walk)
        fts_close(walk);
    free(path);
    if (good && study->profiles == 0)
        return complain("%s/profiles: holds no NAME.profile.json: give a folder with profiles and "
                        "pairs.jsonl",
                        folder);
    return good;
}

static bool read_holdout(struct study *study, const char *folder)
{
    char *path, *line = NULL;
    size_t size = 0;
    ssize_t length;
    bool good = true;
    if (asprintf(&path, "%s/holdout", folder) < 0)
        return no_memory();
    FILE *file = file_open_record(path);
    while (good && file && (length = getline(&line, &size, file)) >= 0) {
        line[strcspn(line, " \t\r\n")] = '\0';
        if (line[0] == '\0' || line[0] == '#')
            continue;
        char **more = realloc(study->holdout, (study->holdouts + 1) * sizeof *more);
        good = more && (study->holdout = more) && (more[study->holdouts] = strdup(line));
        study->holdouts += good ? 1 : 0;
    }
    if (file)
        fclose(file);
    free(line);
    free(path);
    return good || no_memory();
}

// A name that was mistyped would set nothing aside.
static void check_holdout(const struct study *study, const char *folder)
{
    for (size_t i = 0; i < study->holdouts; i++) {
        bool known = false;
        for (size_t k = 0; k < study->pairs.count; k++)
            known = known || strcmp(study->pairs.pair[k].a, study->holdout[i]) == 0 ||
                    strcmp(study->pairs.pair[k].b, study->holdout[i]) == 0;
        if (!known)
            complain("%s/holdout: %s is in no pair: check the name", folder, study->holdout[i]);
    }
}

bool study_read(struct study *study, const char *folder)
{
    char *path;
    *study = (struct study){0};
    if (asprintf(&path, "%s/pairs.jsonl", folder) < 0)
        return no_memory();
    const bool good = pair_list_read(&study->pairs, path) && read_profiles(study, folder) &&
                      read_holdout(study, folder);
    free(path);
    if (good && study->pairs.count == 0)
        return complain("%s/pairs.jsonl: holds no pairs: measure them first", folder);
    if (good)
        check_holdout(study, folder);
    return good;
}

void study_free(struct study *study)
{
    pair_list_free(&study->pairs);
    for (size_t i = 0; i < study->profiles; i++) {
        profile_free(&study->profile[i]->profile);
        free(study->profile[i]->path);
        free(study->profile[i]->name);
        free(study->profile[i]);
    }
    for (size_t i = 0; i < study->holdouts; i++)
        free(study->holdout[i]);
    free(study->profile);
    free(study->holdout);
}

const char **study_places(const struct study *study, size_t *count)
{
    const char **place = calloc(study->pairs.count + 1, sizeof *place);
    *count = 0;
    for (size_t i = 0; place && i < study->pairs.count; i++) {
        bool known = false;
        for (size_t k = 0; k < *count; k++)
            known = known || strcmp(place[k], study->pairs.pair[i].place) == 0;
        if (!known)
            place[(*count)++] = study->pairs.pair[i].place;
    }
    return place;
}

const struct study_profile *study_find(const struct study *study, const char *name,
                                       const char *place)
{
    for (size_t i = 0; i < study->profiles; i++)
        if (strcmp(study->profile[i]->name, name) == 0 &&
            strcmp(study->profile[i]->profile.place, place) == 0)
            return study->profile[i];
    return NULL;
}

bool study_held(const struct study *study, const char *name)
{
    for (size_t i = 0; i < study->holdouts; i++)
        if (strcmp(study->holdout[i], name) == 0)
            return true;
    return false;
}

static void add_none(struct study_place *made, const struct pair_truth *pair, const char *why)
{
    struct study_none *none = &made->none[made->none_count++];
    none->a = pair->a;
    none->b = pair->b;
    (void)snprintf(none->why, sizeof none->why, "%s", why);
}

// Whether the pair and both profiles, NULL where there is none, are of one machine; else why not.
static bool belong_together(const struct pair_truth *pair, const struct study_profile *a,
                            const struct study_profile *b, char *why, size_t size)
{
    *why = '\0';
    if (!a || !b)
        (void)snprintf(why, size, "%s has no profile at %s", a ? pair->b : pair->a, pair->place);
    else if (strcmp(a->profile.machine, b->profile.machine) != 0)
        (void)snprintf(why, size, "the profiles of %s and %s are of different machines", pair->a,
                       pair->b);
    // A profile has the start of a long name.
    else if (pair->host && strncmp(pair->host, a->profile.host, sizeof a->profile.host - 1) != 0)
        (void)snprintf(why, size, "it was measured on %.100s, and its profiles on %s", pair->host,
                       a->profile.host);
    return *why == '\0';
}

static bool add_pair(const struct study *study, const struct pair_truth *pair,
                     struct study_place *made)
{
    const struct study_profile *a = study_find(study, pair->a, pair->place);
    const struct study_profile *b = study_find(study, pair->b, pair->place);
    struct dataset_item item;
    char why[PREDICT_WHY];
    if (!belong_together(pair, a, b, why, sizeof why)) {
        add_none(made, pair, why);
        return true;
    }
    if (!dataset_pair(&item, &a->profile, &b->profile)) {
        add_none(made, pair, item.features.why);
        return true;
    }
    item.a = dataset_program(&made->data, a->name);
    item.b = dataset_program(&made->data, b->name);
    if (item.a == DATASET_PROGRAMS || item.b == DATASET_PROGRAMS)
        return complain("more than %d programs: leave some out", DATASET_PROGRAMS);
    item.y = pair->first.slowdown;
    item.repeat = pair->repeated ? pair->repeat.slowdown : NAN;
    made->data.confidence = a->profile.confidence;
    const size_t number = made->data.count;
    made->held[number] = study_held(study, a->name) || study_held(study, b->name);
    made->truth[number] = pair;
    made->set_aside += made->held[number] ? 1 : 0;
    return dataset_add(&made->data, &item) || no_memory();
}

bool study_place(const struct study *study, const char *place, struct study_place *made)
{
    const size_t most = study->pairs.count + 1;
    *made = (struct study_place){.place = place,
                                 .held = calloc(most, sizeof *made->held),
                                 .truth = calloc(most, sizeof *made->truth),
                                 .none = calloc(most, sizeof *made->none)};
    bool good = (made->held && made->truth && made->none) || no_memory();
    for (size_t i = 0; good && i < study->pairs.count; i++)
        if (strcmp(study->pairs.pair[i].place, place) == 0)
            good = add_pair(study, &study->pairs.pair[i], made);
    return good;
}

void study_place_free(struct study_place *place)
{
    dataset_free(&place->data);
    free(place->held);
    free(place->truth);
    free(place->none);
}

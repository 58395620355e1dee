// In place of learn.c and evaluate.c.
#include "evaluate.h"
#include "learn.h"

#include "common/messages.h"

#include <stdio.h>

json_t *learn_folder(const char *folder)
{
    (void)complain("--learn %s: not in this build: use weights of 1", folder);
    return NULL;
}

bool learn_read(const char *path, const char *place, const char *machine,
                struct predict_model *model, char *why, size_t size)
{
    (void)machine;
    (void)model;
    (void)snprintf(why, size, "%s: models of %s are not read by this build", path, place);
    return false;
}

json_t *evaluate_folder(const char *folder, bool open_holdout)
{
    (void)open_holdout;
    (void)complain("--evaluate %s: not in this build", folder);
    return NULL;
}

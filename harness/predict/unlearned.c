// In place of learn.c and evaluate.c.
#include "evaluate.h"
#include "learn.h"

#include "common/messages.h"

#include <stdio.h>

int learn_run(const char *folder, const char *output)
{
    (void)output;
    (void)complain("--learn %s: not in this build: use weights of 1", folder);
    return 1;
}

bool learn_read(const char *path, const char *place, const char *machine,
                struct predict_model *model, char *why, size_t size)
{
    (void)machine;
    (void)model;
    (void)snprintf(why, size, "%s: models of %s are not read by this build", path, place);
    return false;
}

int evaluate_run(const char *folder, bool open_holdout, const char *json)
{
    (void)open_holdout;
    (void)json;
    (void)complain("--evaluate %s: not in this build", folder);
    return 1;
}

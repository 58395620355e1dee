/* bench: what `jostle bench` measures, and what came of it. It reads and writes files;
 * processes are the shell's.
 *
 *     --expand DIR   the matrix of the command line as a campaign file and a plan
 *     --plan         pairs of key and value, each ended by NUL, for the shell */
#include "expand.h"
#include "options.h"

#include "common/messages.h"

#include <stdio.h>
#include <stdlib.h>

static int expand(const struct settings *settings)
{
    json_t *plan = expand_plan(settings);
    const bool good = expand_write(plan, settings->expand);
    json_decref(plan);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct settings settings;
    settings_read(&settings, argc, argv);
    int status = 0;
    if (settings.expand != NULL)
        status = expand(&settings);
    settings_free(&settings);
    return status;
}

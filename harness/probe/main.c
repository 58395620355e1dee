/* probe: what this machine gives at the moment, as its reporters show it. */

#include "harness/probe/commands.h"

#include "common/messages.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"coverage", probe_coverage}, {"now", probe_now},     {"reference", probe_reference},
    {"sample", probe_sample},     {"serve", probe_serve}, {"--page", probe_show},
    {"--show", probe_show},
};

#define COMMANDS (sizeof commands / sizeof *commands)

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return printf("probe %s\n", JOSTLE_VERSION) < 0;
    usage_error("probe: no such subcommand: see jostle probe --help");
}

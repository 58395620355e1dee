/* probe: what this machine gives at the moment, as its reporters show it. */

#include "harness/probe/commands.h"

#include "common/messages.h"
#include "common/options.h"
#include "common/version.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"sample", probe_sample},
    {"serve", probe_serve},
};

#define COMMANDS (sizeof commands / sizeof *commands)

/* For the test that walks all options. */
static int list_commands(void)
{
    bool written = true;
    for (size_t i = 0; i < COMMANDS; i++)
        written = options_list_command(commands[i].name) && written;
    return written ? 0 : 1;
}

int main(int argc, char **argv)
{
    streams_open();
    for (size_t i = 0; argc > 1 && i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    if (argc == 2 && strcmp(argv[1], "--list-options") == 0)
        return list_commands();
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return version_print("probe"), 0;
    usage_error("probe: no such subcommand: give sample or serve");
}

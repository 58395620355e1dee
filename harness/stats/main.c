// stats: derives the results of finished experiments from their records.

#include "result.h"

#include "common/messages.h"
#include "common/options.h"

#include <stdbool.h>

struct request {
    bool derive;
};

#define ROW(name, argument, type, member) OPTION_ROW(struct request, name, argument, type, member)

static const struct option_row rows[] = {
    {ROW("derive", NULL, OPTION_FLAG, derive), .help = "write DIR/" RESULT_FILE
                                                       " from DIR/" EXPERIMENT_FILE
                                                       " and DIR/" RUNS_FILE ", for each DIR"},
    {0},
};

static const char intro[] =
    "Derives what the runs of finished experiments show (--derive). The same records\n"
    "lead to the same results; it never reads a clock.\n";

static const char details[] =
    "Exit status:\n"
    "  0  done    1  records or results cannot be read or written    2  wrong use\n";

int main(int argc, char **argv)
{
    streams_open();
    struct request request = {0};
    const struct option_group groups[] = {{.rows = rows, .values = &request}};
    const struct program program = {.name = "stats",
                                    .usage = "DIR...",
                                    .intro = intro,
                                    .details = details,
                                    .groups = groups,
                                    .group_count = 1};
    int rest;
    options_free(options_parse(&program, argc, argv, &rest));
    if (!request.derive)
        usage_error("stats: give --derive, and the folders of experiments");
    if (rest == argc)
        usage_error("stats: --derive: name the folders of experiments");
    return result_derive(argv + rest, argc - rest);
}

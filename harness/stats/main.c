// stats: what to run next, and what the runs so far show. The same records and
// seed give the same answers: it never reads a clock.
#include "compare.h"
#include "hub.h"
#include "options.h"
#include "protocol.h"
#include "result.h"

#include <stdio.h>

static int run(const struct options *options)
{
    if (options->experiment)
        return hub_run(options, stdout);
    if (options->derive)
        return result_derive(options->folders, options->folder_count);
    if (options->compare[0])
        return compare_run(options, stdout);
    return protocol_run(options, stdin, stdout);
}

int main(int argc, char **argv)
{
    struct options options;
    bool done;
    int code = 2;
    if (options_parse(&options, argc, argv, &done))
        code = done ? (fflush(stdout) == 0 ? 0 : 1) : run(&options);
    options_free(&options);
    return code;
}

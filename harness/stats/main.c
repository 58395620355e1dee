// estimate: what to run next, and what the runs so far say. It never looks at
// a clock: the same records and seed give the same answers.
#include "compare.h"
#include "options.h"
#include "protocol.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    struct options options;
    bool done;
    int code = 2;
    if (options_parse(&options, argc, argv, &done))
        code = done                 ? (fflush(stdout) == 0 ? 0 : 1)
               : options.compare[0] ? compare_run(&options, stdout)
                                    : protocol_run(&options, stdin, stdout);
    options_free(&options);
    return code;
}

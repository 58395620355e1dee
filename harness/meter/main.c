// meter: runs a command, once or again and again, and writes what it took, as one
// JSON line a run.
#include "detach.h"
#include "options.h"
#include "run.h"
#include "serve.h"
#include "signals.h"

#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    pid_t parent = getppid();
    struct options options;
    struct runner runner = {.group = {.kind = ACCOUNTING_RUSAGE, .folder_fd = -1}, .hangup_fd = -1};
    const enum options_result parsed = options_parse(&options, argc, argv);
    if (parsed == OPTIONS_WRONG)
        return EXIT_WRONG_USE;
    if (parsed == OPTIONS_DONE)
        return fflush(stdout) == 0 ? EXIT_RECORDED : EXIT_NOT_RUN;
    int code = EXIT_NOT_RUN;
    if (!signals_take(&runner.signals) ||
        detach(&runner.signals, options.with_parent, &parent, &code))
        return code;
    if (run_begin(&runner, &options, parent))
        code = options.serve ? serve(&runner) : run_once(&runner);
    run_end(&runner);
    return code;
}

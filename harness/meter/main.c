// meter: runs a command, once or again and again, and writes what it took, as one
// JSON line a run.
#include "detach.h"
#include "run.h"
#include "serve.h"
#include "service.h"
#include "settings.h"
#include "signals.h"

#include <unistd.h>

int main(int argc, char **argv)
{
    pid_t parent = getppid();
    struct settings settings;
    struct runner runner = {.group = GROUP_OF_NONE,
                            .launch = {.captured_out_fd = -1, .captured_error_fd = -1},
                            .own_fd = -1,
                            .hangup_fd = -1};
    settings_read(&settings, argc, argv);
    int code = EXIT_NOT_RUN;
    if (!signals_take(&runner.signals) ||
        detach(&runner.signals, settings.with_parent, &parent, &code))
        return code;
    if (settings.service)
        code = service_run(&settings, &runner.signals, parent);
    else if (run_begin(&runner, &settings, parent))
        code = settings.serve ? serve(&runner) : run_once(&runner);
    run_end(&runner);
    settings_free(&settings);
    return code;
}

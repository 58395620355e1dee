// meter: runs a command, once or again and again, and writes what it took, as one
// JSON line a run.
#include "common/keeper.h"
#include "run.h"
#include "serve.h"
#include "service.h"
#include "settings.h"
#include "signals.h"

#include "common/streams.h"

#include <unistd.h>

int main(int argc, char **argv)
{
    streams_open();
    const pid_t caller = getppid();
    struct settings settings;
    struct runner runner = {.group = GROUP_OF_NONE,
                            .launch = {.drain = DRAIN_OF_NONE, .captured_error_fd = -1},
                            .own_fd = -1,
                            .hangup_fd = -1};
    settings_read(&settings, argc, argv);
    int code = EXIT_NOT_RUN;
    const struct keeper keeper = {.passed = &runner.signals.awaited,
                                  .name = "meter-keeper",
                                  .parent = settings.with_parent || settings.service ? caller : 0,
                                  .always = true,
                                  .tidy = accounting_sweep};
    if (signals_take(&runner.signals) && keeper_start(&keeper, &code)) {
        if (settings.service)
            code = service_run(&settings, &runner.signals);
        else if (run_begin(&runner, &settings))
            code = settings.serve ? serve(&runner) : run_once(&runner);
        run_end(&runner);
    }
    settings_free(&settings);
    return code;
}

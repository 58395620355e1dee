#include "io/io-state.h"

#include <stdarg.h>
#include <stdio.h>

void io_set_unit(struct run *run)
{
    const struct io_plan *plan = &io_state_of(run)->plan;

    run->unit = plan->random ? UNIT_OPS : UNIT_BYTES;
    run->quantum = plan->random ? 1 : (double)plan->block_bytes;
}

void io_warn(struct run *run, const char *format, ...)
{
    char text[640];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (io_settings_of(run)->calib)
        complain("%s", text);
    else
        run_warn(run, "%s", text);
}

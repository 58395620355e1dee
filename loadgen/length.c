#include "length.h"

#include "load.h"

void length_choose(struct run *run)
{
    struct common *common = &run->common;
    if (common->control || common->duration_ns != 0 || options_given(run->options, "duration"))
        return;
    common->duration_ns = LENGTH_BY_HAND_NS;
    report_print(&run->report,
                 "%s: ends by itself after " LENGTH_BY_HAND
                 ": give --duration TIME, or --duration " LENGTH_ENDLESS ", to change that\n",
                 run->load->name);
}

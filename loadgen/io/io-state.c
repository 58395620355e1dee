#include "io/io-state.h"

void io_set_unit(struct run *run)
{
    const struct io_plan *plan = &io_state_of(run)->plan;

    run->unit = plan->random ? UNIT_OPS : UNIT_BYTES;
    run->quantum = plan->random ? 1 : (double)plan->block_bytes;
}

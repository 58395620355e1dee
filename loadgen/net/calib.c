#include "net/calib.h"

#include "measure.h"
#include "net/net-options.h"
#include "net/net-state.h"

#include <stdio.h>
#include <stdlib.h>

static int keep(struct run *run, const struct measured *measured, int64_t length_ns)
{
    struct calibration_key key;
    struct line line;
    net_key(run, &key);
    calibration_begin(&line, key.load);
    calibration_write_key(&line, &key);
    line_real(&line, "seconds", (double)length_ns / 1e9);
    measured_write(&line, run, measured);
    line_close(&line);
    return calibration_keep(run, &key, &line, net_settings_of(run)->calibration);
}

int net_calibrate(struct run *run)
{
    const struct net_state *state = net_state_of(run);
    const int64_t length_ns = calibration_length_ns(run);
    struct measured *measured = calloc(1, sizeof *measured);
    char error[512] = "out of memory: free some", title[128];
    int status = 1;
    if (measured == NULL ||
        measure(run, length_ns, run->load->prepare, measured, error, sizeof error) != 0) {
        complain("%s", error);
    } else {
        snprintf(title, sizeof title, "%s, %zu bytes, %u stream%s", net_mode_name(state->mode),
                 state->block_bytes, state->stream_count, state->stream_count == 1 ? "" : "s");
        measured_print(run, title, measured);
        status = keep(run, measured, length_ns);
    }
    free(measured);
    return status;
}

#include "gate.h"

#include <math.h>
#include <stdio.h>

static const double z_95 = 1.959964; // two-sided 95 % of the normal distribution

double gate_runs(double sd, double half_width)
{
    return ceil(2 * pow(z_95 * sd / half_width, 2));
}

static void describe(struct gate *gate)
{
    // The figure is not more exact than the sd is.
    const double runs =
        gate->runs_needed < 100 ? gate->runs_needed : round(gate->runs_needed / 10) * 10;
    (void)snprintf(gate->text, sizeof gate->text,
                   "alone-sd %.2g %%, it would take %.0f run%s a side for a half-width of %.2g %%",
                   100 * gate->sd, runs, runs > 1 ? "s" : "", 100 * gate->wanted);
}

struct gate profile_gate_judge(double sd, size_t n, double effect)
{
    struct gate gate = {.sd = NAN, .half_width = NAN, .runs_needed = NAN};
    gate.wanted = fmax(GATE_HALF_WIDTH, fabs(effect) / 4);
    if (!(sd >= 0) || n < GATE_LEAST_RUNS) {
        (void)snprintf(gate.text, sizeof gate.text,
                       "its noise is not known: %zu runs alone, where %d are the least", n,
                       GATE_LEAST_RUNS);
        return gate;
    }
    gate.sd = sd;
    gate.half_width = z_95 * gate.sd * sqrt(2.0 / GATE_RUNS);
    gate.runs_needed = gate_runs(gate.sd, gate.wanted);
    gate.passed = gate.runs_needed <= GATE_RUNS;
    describe(&gate);
    return gate;
}

#include "io/phases-report.h"

#include <math.h>
#include <stdio.h>

static double rate_of_phase(const struct io_phase *phase, const struct io_outcome *outcome)
{
    const double amount = (double)(phase->seeks ? outcome->operations : outcome->bytes);

    return outcome->elapsed_ns > 0 ? amount * 1e9 / (double)outcome->elapsed_ns : NAN;
}

static double cpu_percent(const struct io_outcome *outcome)
{
    return outcome->elapsed_ns > 0 ? 100 * (double)outcome->cpu_ns / (double)outcome->elapsed_ns
                                   : NAN;
}

static void write_phase(const struct io_bench *bench, const struct io_phase *phase,
                        const struct io_outcome *outcome)
{
    struct run *run = bench->run;
    struct line line;

    if (!run->report.json)
        return;
    report_open(&line, "phase");
    line_text(&line, "phase", phase->name);
    line_count(&line, "operations", outcome->operations);
    line_count(&line, "bytes", outcome->bytes);
    line_fixed(&line, "elapsed_s", (double)outcome->elapsed_ns / 1e9, 6);
    line_fixed(&line, "cpu_s", (double)outcome->cpu_ns / 1e9, 6);
    line_integer(&line, "max_ns", outcome->slowest_ns);
    line_fixed(&line, "reached_ratio", outcome->reached_ratio, 6);
    report_write(&run->report, &line);
}

static void print_phase(const struct io_bench *bench, const struct io_phase *phase,
                        const struct io_outcome *outcome)
{
    char rate[48], slowest[24], share[128] = "";

    units_format_rate(rate_of_phase(phase, outcome), phase->seeks ? UNIT_OPS : UNIT_BYTES, rate,
                      sizeof rate);
    units_format_time((double)outcome->slowest_ns, slowest, sizeof slowest);
    if (isfinite(outcome->reached_ratio))
        snprintf(share, sizeof share, ", %.0f %% of it reached %s",
                 100 * fmin(1, outcome->reached_ratio), io_state_of(bench->run)->device.counter);
    report_print(&bench->run->report, "  %-11s %s, %.0f %% CPU, slowest %s%s\n", phase->name, rate,
                 cpu_percent(outcome), slowest, share);
}

static void add_phase(struct line *line, const struct io_phase *phase,
                      const struct io_outcome *outcome)
{
    char name[64];

    snprintf(name, sizeof name, "%s_%s", phase->field, phase->seeks ? "per_s" : "bytes_per_s");
    line_fixed(line, name, rate_of_phase(phase, outcome), 6);
    snprintf(name, sizeof name, "%s_cpu_percent", phase->field);
    line_fixed(line, name, cpu_percent(outcome), 6);
    snprintf(name, sizeof name, "%s_max_ns", phase->field);
    line_integer(line, name, outcome->slowest_ns);
    snprintf(name, sizeof name, "%s_reached_ratio", phase->field);
    line_fixed(line, name, outcome->reached_ratio, 6);
}

void io_phase_report(const struct io_bench *bench, const struct io_phase *phase,
                     const struct io_outcome *outcome)
{
    write_phase(bench, phase, outcome);
    print_phase(bench, phase, outcome);
}

void io_phases_summary(const struct io_bench *bench, const struct io_phase *phases,
                       const struct io_outcome *outcomes, size_t count)
{
    struct run *run = bench->run;
    struct line line;

    if (!run->report.json)
        return;
    report_open(&line, "summary");
    line_text(&line, "load", "io-phases");
    line_text(&line, "device", io_state_of(run)->device.counter);
    line_bool(&line, "direct", bench->direct_fd != bench->fd);
    line_bool(&line, "cached", bench->set->cached);
    line_count(&line, "file_bytes", bench->file_bytes);
    line_count(&line, "char_bytes", bench->char_bytes);
    line_count(&line, "block_bytes", bench->block_bytes);
    line_count(&line, "seeks", bench->set->seeks);
    line_count(&line, "threads", run->threads);
    for (size_t i = 0; i < count; i++)
        if (outcomes[i].elapsed_ns > 0)
            add_phase(&line, &phases[i], &outcomes[i]);
    report_write(&run->report, &line);
}

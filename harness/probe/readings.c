#include "harness/probe/readings.h"

static void print_reading(struct line *line, enum reporter reporter, const struct reading *reading)
{
    line_object(line, NULL);
    line_text(line, "name", reporters[reporter].name);
    line_text(line, "unit", reporters[reporter].unit);
    if (reading->reason != NULL) {
        line_text(line, "reason", reading->reason);
    } else {
        line_real(line, "value", reading->value);
        line_count(line, "n", reading->n);
        line_real(line, "median", reading->median);
        line_real(line, "spread", reading->spread);
        line_real(line, "correlation", reading->correlation);
        line_real(line, "error", reading->error);
    }
    line_close(line);
}

void readings_print(struct line *line, const struct reporter_set *set, const bool wanted[REPORTERS])
{
    line_array(line, "reporters");
    for (enum reporter reporter = 0; reporter < REPORTERS; reporter++) {
        struct reading reading;
        if (!wanted[reporter])
            continue;
        reporters_read(set, reporter, &reading);
        print_reading(line, reporter, &reading);
    }
    line_close(line);
}

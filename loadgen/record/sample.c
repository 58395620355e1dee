#include "record/sample.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A line "cpuN ..."; that of "cpu" is the sum. */
static bool take_cpu(const char *text, struct cpu_ticks *cpu)
{
    *cpu = (struct cpu_ticks){0};
    return strncmp(text, "cpu", 3) == 0 && isdigit((unsigned char)text[3]) &&
           sscanf(text, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &cpu->cpu, &cpu->user,
                  &cpu->nice, &cpu->system, &cpu->idle, &cpu->iowait, &cpu->irq, &cpu->softirq,
                  &cpu->steal) >= 5;
}

int sample_take(struct sample *sample, unsigned capacity)
{
    char text[512]; /* of "intr", which is longer, the first number is enough */
    struct cpu_ticks cpu;
    FILE *file = fopen("/proc/stat", "re");
    if (file == NULL)
        return -1;
    sample->count = 0;
    sample->switches = sample->interrupts = 0;
    while (fgets(text, sizeof text, file) != NULL) {
        if (sample->count < capacity && take_cpu(text, &cpu))
            sample->cpus[sample->count++] = cpu;
        else if (strncmp(text, "ctxt ", 5) == 0)
            (void)sscanf(text, "ctxt %llu", &sample->switches);
        else if (strncmp(text, "intr ", 5) == 0)
            (void)sscanf(text, "intr %llu", &sample->interrupts);
    }
    fclose(file);
    return 0;
}

static double busy_ticks(const struct cpu_ticks *cpu)
{
    return (double)(cpu->user + cpu->nice + cpu->system + cpu->irq + cpu->softirq);
}

/* Percent of a time in which these ticks passed; a counter may step by a tick more than the
 * time has room for, and the hypervisor's may step back. */
static double percent(double ticks, double seconds)
{
    const double share = 100 * ticks / (seconds * (double)sysconf(_SC_CLK_TCK));
    return share < 0 ? 0 : share > 100 ? 100 : share;
}

double sample_load(const struct sample *before, const struct sample *after, unsigned index,
                   double seconds)
{
    return percent(busy_ticks(&after->cpus[index]) - busy_ticks(&before->cpus[index]), seconds);
}

double sample_steal(const struct sample *before, const struct sample *after, unsigned index,
                    double seconds)
{
    return percent((double)after->cpus[index].steal - (double)before->cpus[index].steal, seconds);
}

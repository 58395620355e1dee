/* What /proc/stat has counted since boot. */
#ifndef LOADGEN_RECORD_SAMPLE_H
#define LOADGEN_RECORD_SAMPLE_H

/* USER_HZ ticks that one CPU has spent, as proc(5) /proc/stat counts them. */
struct cpu_ticks {
    unsigned cpu;
    unsigned long long user, nice, system, idle, iowait, irq, softirq, steal;
};

struct sample {
    unsigned count;
    struct cpu_ticks *cpus;
    unsigned long long switches, interrupts; /* of all CPUs */
};

/* Reads it, of at most `capacity` CPUs. 0, or -1 with errno. */
int sample_take(struct sample *sample, unsigned capacity);

/* What one of its CPUs did since an earlier sample with the same CPUs, in percent of
 * these seconds: load (guest time is part of user time, so nothing is counted twice),
 * and time that the hypervisor stole. */
double sample_load(const struct sample *before, const struct sample *after, unsigned index,
                   double seconds);
double sample_steal(const struct sample *before, const struct sample *after, unsigned index,
                    double seconds);

#endif

#include "cpu/replay.h"

#include "cpu/profile.h"

#include <stdio.h>
#include <stdlib.h>

const char *const replay_maps[] = {"share", "demand", NULL};

/* Some of the profile's cores on one CPU. */
struct part {
    unsigned first, last; /* cores */
    int cpu;
    struct track track;
};

struct replay {
    unsigned cores, count; /* of the profile; of parts */
    unsigned instances;
    enum replay_map map;
    double speed;
    struct part *parts;
};

static void read_profile(const char *name, struct profile *profile)
{
    char text[4096];
    FILE *file = profile_open(name, text, sizeof text);
    if (file == NULL)
        usage_error("--profile %s: no such profile, neither as a file nor in %s: make one with "
                    "loadgen record",
                    name, text);
    if (profile_read(file, profile, text, sizeof text) != 0)
        usage_error("--profile %s: %s", name, text);
    fclose(file);
}

/* One part for each CPU: with more cores, the mean of neighbouring cores; with
 * fewer, each core on several CPUs. */
static void map_share(struct replay *replay, const struct cpu_list *cpus)
{
    replay->count = cpus->count;
    for (unsigned i = 0; i < cpus->count; i++) {
        const unsigned first = i * replay->cores / cpus->count;
        const unsigned next = (i + 1) * replay->cores / cpus->count;
        replay->parts[i] = (struct part){first, next > first ? next - 1 : first, cpus->cpu[i], {0}};
    }
}

/* One part for each core: with more cores several on a CPU, with fewer some
 * CPUs stay idle. */
static void map_demand(struct replay *replay, const struct cpu_list *cpus)
{
    replay->count = replay->cores;
    for (unsigned core = 0; core < replay->cores; core++) {
        const unsigned place =
            replay->cores > cpus->count ? core * cpus->count / replay->cores : core;
        replay->parts[core] = (struct part){core, core, cpus->cpu[place], {0}};
    }
}

struct replay *replay_open(const struct run *run, const struct replay_settings *settings)
{
    struct profile profile;
    read_profile(settings->profile, &profile);
    const unsigned most = profile.cores > run->cpus.count ? profile.cores : run->cpus.count;
    struct replay *replay = calloc(1, sizeof *replay);
    if (replay != NULL)
        replay->parts = calloc(most, sizeof *replay->parts);
    if (replay == NULL || replay->parts == NULL)
        usage_error("--profile %s: no memory for it: free some", settings->profile);
    replay->cores = profile.cores;
    replay->instances = (unsigned)settings->instances;
    replay->map = (enum replay_map)settings->map;
    replay->speed = settings->speed;
    if (replay->map == MAP_SHARE)
        map_share(replay, &run->cpus);
    else
        map_demand(replay, &run->cpus);
    for (unsigned i = 0; i < replay->count; i++) {
        struct part *part = &replay->parts[i];
        if (track_make(&part->track, &profile, part->first, part->last, settings->speed) != 0)
            usage_error("--profile %s: no memory for it: free some", settings->profile);
    }
    profile_free(&profile);
    return replay;
}

void replay_close(struct replay *replay)
{
    for (unsigned i = 0; i < replay->count; i++)
        track_free(&replay->parts[i].track);
    free(replay->parts);
    free(replay);
}

static const struct part *part_of(const struct replay *replay, unsigned worker)
{
    return &replay->parts[worker % replay->count];
}

unsigned replay_workers(const struct replay *replay)
{
    return replay->count * replay->instances;
}

int replay_cpu(const struct replay *replay, unsigned worker)
{
    return part_of(replay, worker)->cpu;
}

int64_t replay_length_ns(const struct replay *replay)
{
    const struct track *track = &replay->parts[0].track;
    return (int64_t)track->end_ns[track->spans - 1];
}

double replay_mean(const struct replay *replay)
{
    double total_ns = 0;
    for (unsigned i = 0; i < replay->count; i++)
        total_ns += replay->parts[i].track.used_ns[replay->parts[i].track.spans - 1];
    return total_ns * replay->instances / (double)replay_length_ns(replay);
}

double replay_demand(const struct replay *replay, unsigned worker, double after_ns)
{
    return track_demand(&part_of(replay, worker)->track, after_ns);
}

double replay_when(const struct replay *replay, unsigned worker, double used_ns)
{
    return track_when(&part_of(replay, worker)->track, used_ns);
}

/* "core 0", "the mean of cores 0 to 3". */
static void format_part(const struct part *part, char *text, size_t size)
{
    if (part->first == part->last)
        snprintf(text, size, "core %u", part->first);
    else
        snprintf(text, size, "the mean of cores %u to %u", part->first, part->last);
}

void replay_print(const struct replay *replay, struct run *run)
{
    char text[64];
    report_print(&run->report, "cpu: a profile of %u cores, %.1f s, %u at once, speed %g:\n",
                 replay->cores, (double)replay_length_ns(replay) / 1e9, replay->instances,
                 replay->speed);
    for (unsigned i = 0; i < replay->count; i++) {
        format_part(&replay->parts[i], text, sizeof text);
        report_print(&run->report, "cpu:   CPU %d does what %s did\n", replay->parts[i].cpu, text);
    }
}

void replay_describe(const struct replay *replay, struct line *line)
{
    line_count(line, "profile_cores", replay->cores);
    line_fixed(line, "profile_s", (double)replay_length_ns(replay) / 1e9, 6);
    line_count(line, "instances", replay->instances);
    line_fixed(line, "speed", replay->speed, 6);
    line_array(line, "mapping");
    for (unsigned i = 0; i < replay->count; i++) {
        const struct part *part = &replay->parts[i];
        char cores[32];
        snprintf(cores, sizeof cores, "%u-%u", part->first, part->last);
        line_object(line, NULL);
        line_integer(line, "cpu", part->cpu);
        line_text(line, "cores", cores);
        line_close(line);
    }
    line_close(line);
}

#ifndef LOADGEN_CPU_REPLAY_H
#define LOADGEN_CPU_REPLAY_H

/* A recorded profile, laid out on the CPUs of this machine: which worker has to
 * use how much CPU time until when. All workers follow one clock. */

#include "load.h"

enum replay_map { MAP_SHARE, MAP_DEMAND };
extern const char *const replay_maps[];

struct replay_settings {
    const char *profile; /* NULL: none */
    double speed;
    uint64_t instances;
    int map;
};

struct replay;

/* Reads and maps; wrong names and files end the program with exit 2. */
struct replay *replay_open(const struct run *run, const struct replay_settings *settings);
void replay_close(struct replay *replay);

unsigned replay_workers(const struct replay *replay);
int replay_cpu(const struct replay *replay, unsigned worker);
double replay_mean(const struct replay *replay); /* CPUs, of all workers */
int64_t replay_length_ns(const struct replay *replay);
/* As track_demand() and track_when(), for a worker. */
double replay_demand(const struct replay *replay, unsigned worker, double after_ns);
double replay_when(const struct replay *replay, unsigned worker, double used_ns);

/* Says which cores were put where: text for people, or fields of `ready`. */
void replay_print(const struct replay *replay, struct run *run);
void replay_describe(const struct replay *replay, struct line *line);

#endif

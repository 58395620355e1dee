/* Two threads that wake each other: the one that calls these functions, and a
 * partner, which answers each wake-up by one. */
#ifndef LOADGEN_SWITCH_PAIR_H
#define LOADGEN_SWITCH_PAIR_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct bell {
    _Alignas(64) _Atomic uint32_t rung; /* futex: 1 from the ring until it is heard */
    int read_fd, write_fd;              /* pipe, eventfd; -1: none */
};

/* How it is done. All but close() return 0, or -1 with errno. */
struct bell_method {
    int (*open)(struct bell *bell);
    int (*ring)(struct bell *bell);
    int (*wait)(struct bell *bell);
};

struct pair {
    struct bell there, back;
    const struct bell_method *method;
    pthread_t partner;
    bool started;
    int cpu;                           /* of the partner */
    _Atomic pid_t partner_id;          /* 0: not yet; negative: errno why it cannot run there */
    _Atomic int64_t answer_ns;         /* when the partner ran, and rang back */
    _Atomic uint64_t partner_switches; /* that it had made by then */
    _Atomic bool ended;
    _Atomic int error; /* errno of the partner */
};

/* Times of one round, CLOCK_MONOTONIC: rang; the partner runs; the caller runs. And how
 * often the kernel has switched away from the two threads since their start. */
struct round_trip {
    int64_t start_ns, there_ns, back_ns;
    uint64_t switches;
};

/* How often the kernel has switched away from the calling thread since its start. */
uint64_t switches_of_thread(void);

/* Starts the partner on a CPU; returns when it has an id. 0, or an errno; pair_close()
 * in any case. */
int pair_open(struct pair *pair, const struct bell_method *method, int cpu);
/* Wakes the partner and sleeps until it wakes the caller. 0, or an errno. */
int pair_round(struct pair *pair, struct round_trip *trip);
void pair_close(struct pair *pair);

/* By --method; the names in the same order, ended by NULL. */
extern const struct bell_method bell_methods[];

extern const char *const bell_method_names[];

#endif

// What stands for what: each row is a condition on what was recorded, and the part of a spec that
// follows from it.

#include "rules.h"

#include <math.h>

const struct trait_name trait_names[TRAITS] = {
    [CPU] = {"cpu", AS_COUNT},
    [BLOCKED] = {"blocked", AS_COUNT},
    [READ_BYTES] = {"read_bytes", AS_BYTES},
    [WRITE_BYTES] = {"write_bytes", AS_BYTES},
    [SYNCS] = {"syncs", AS_RATE},
    [PRIVATE] = {"private", AS_SIZE},
    [THREADS] = {"threads", AS_COUNT},
    [PERCENT] = {"percent", AS_PERCENT},
    [DISK_THREADS] = {"disk_threads", AS_COUNT},
    [READ_BLOCK] = {"read_block", AS_SIZE},
    [WRITE_BLOCK] = {"write_block", AS_SIZE},
    [ROUND_TRIPS] = {"round_trips", AS_RATE},
    [STREAM] = {"stream", AS_BYTES},
    [FOOTPRINT] = {"footprint", AS_SIZE},
    [ROUNDS] = {"rounds", AS_RATE},
    [FAULTS_EACH] = {"faults", AS_RATE},
    [FORKS_EACH] = {"forks", AS_RATE},
    [STREAM_EACH] = {"streamed", AS_SIZE},
};

#define AT_LEAST(trait, bound)                                                                     \
    {                                                                                              \
        trait, false, bound                                                                        \
    }
#define BELOW(trait, bound)                                                                        \
    {                                                                                              \
        trait, true, bound                                                                         \
    }
#define WHEN(...)                                                                                  \
    .when = {__VA_ARGS__},                                                                         \
    .when_count = sizeof((struct condition_on[]){__VA_ARGS__}) / sizeof(struct condition_on)

// A thread that ran or waited for a CPU for this share of the time never waits for anything else:
// closed loop.
#define CLOSED 0.9
// A disk that held up a thread for this share of the time had as much to do as it could: closed
// loop, too.
#define HELD_UP 0.5

// clang-format off
const struct rule imitation_rules[] = {
    // ---- several things in turn, in as many threads as were recorded
    {IN_TURN | APART, "main", WHEN(AT_LEAST(BESIDES, 1), AT_LEAST(SHARE, CLOSED)),
     "mixed --threads {threads}",
     "runnable threads: {threads}, closed loop, which take all CPU time that they get and do in each second of it"},
    // How long processes waited that began and ended between two looks is not recorded.
    {IN_TURN | APART, "main", WHEN(AT_LEAST(BESIDES, 1), AT_LEAST(FORKS_EACH, 5), AT_LEAST(HELD, 0.3)),
     "mixed --threads {threads}",
     "runnable threads: {threads}, closed loop, as the waits of short-lived processes were not seen and the CPUs were "
     "crowded, which do in each second of their CPU time"},
    {IN_TURN | APART, "main", WHEN(AT_LEAST(BESIDES, 1), AT_LEAST(CPU, 0.01)),
     "mixed --threads {threads} --limit {rounds}",
     "runnable threads: {threads}, open loop, each of which wants a CPU for {percent} % of the time, and do in each second "
     "of it"},
    {IN_TURN | APART, "faults", WHEN(AT_LEAST(BESIDES, 1), AT_LEAST(FAULTS_EACH, 100)),
     "--faults {faults}", "{faults} page faults", true},
    {IN_TURN | APART, "processes", WHEN(AT_LEAST(BESIDES, 1), AT_LEAST(FORKS_EACH, 0.1)),
     "--forks {forks}", "{forks} processes that begin and end", true},
    {IN_TURN | APART, "stream", WHEN(AT_LEAST(BESIDES, 1), AT_LEAST(STREAM_EACH, 1e8)),
     "--stream {streamed} --footprint {footprint}", "{streamed} read from a memory of {footprint}", true},

    // ---- what it mostly does: each of these has as many runnable threads as were recorded
    {SIMPLE, "main", WHEN(AT_LEAST(BLOCKED, HELD_UP), AT_LEAST(SYNCS, 1), AT_LEAST(WRITE_BYTES, 1e5)),
     "io --threads {disk_threads} --sequential --sync data --block-size {write_block}",
     "threads: {disk_threads}, which write {write_block} and make it durable, closed loop, as the disk held them up"},
    {SIMPLE, "main", WHEN(AT_LEAST(OCCUPIED, 0.8), AT_LEAST(SYNCS, MANY_SYNCS), BELOW(CPU, 0.5), AT_LEAST(WRITE_BYTES, 1e4)),
     "io --threads {disk_threads} --sequential --sync data --block-size {write_block}",
     "threads: {disk_threads}, which write {write_block} and make it durable, closed loop, as it waited for nothing but the disk "
     "and a CPU"},
    {SIMPLE, "main", WHEN(AT_LEAST(BLOCKED, HELD_UP), AT_LEAST(READ_BYTES, 1e6), BELOW(READ_BLOCK, 65536)),
     "io --threads {disk_threads} --read --random --block-size {read_block}",
     "threads: {disk_threads}, which read blocks of {read_block}, closed loop, as the disk held them up"},
    {SIMPLE, "main", WHEN(AT_LEAST(BLOCKED, HELD_UP), AT_LEAST(READ_BYTES, 1e6)),
     "io --threads {disk_threads} --read --sequential --block-size {read_block}",
     "threads: {disk_threads}, which read blocks of {read_block}, closed loop, as the disk held them up"},
    {SIMPLE, "main", WHEN(AT_LEAST(BLOCKED, HELD_UP), AT_LEAST(WRITE_BYTES, 1e6)),
     "io --threads {disk_threads} --write --sequential --sync direct --block-size {write_block}",
     "threads: {disk_threads}, which write blocks of {write_block}, closed loop, as the disk held them up"},
    {SIMPLE, "main", WHEN(AT_LEAST(ANSWERED, 0.3), AT_LEAST(ROUND_TRIPS, 1000), AT_LEAST(SHARE, CLOSED)),
     "net --ping",
     "requests and answers over loopback, closed loop: one thread runs at a time"},
    {SIMPLE, "main", WHEN(AT_LEAST(ANSWERED, 0.3), AT_LEAST(ROUND_TRIPS, 1000)),
     "net --ping --limit {round_trips}",
     "{round_trips} requests and answers a second over loopback (two switches for each)"},
    {SIMPLE, "main", WHEN(AT_LEAST(STREAM, 2e9), AT_LEAST(SHARE, CLOSED)),
     "mem --threads {threads} --footprint {footprint}",
     "runnable threads: {threads}, closed loop, which stream through {footprint}, as its cache misses were {stream}"},
    {SIMPLE | APART, "main", WHEN(AT_LEAST(SHARE, CLOSED)),
     "cpu --threads {threads}",
     "runnable threads: {threads}, closed loop, which take all CPU time that they get"},
    {SIMPLE | APART, "main", WHEN(AT_LEAST(CPU, 0.01), AT_LEAST(HELD, 0.1)),
     "cpu --threads {threads} --percent {percent}",
     "runnable threads: {threads}, open loop, each of which wants a CPU for {percent} % of the time (a part of that was "
     "waiting for one, so it may want less)"},
    {SIMPLE | APART, "main", WHEN(AT_LEAST(CPU, 0.01)),
     "cpu --threads {threads} --percent {percent}",
     "runnable threads: {threads}, open loop, each of which wants a CPU for {percent} % of the time"},

    // ---- what it does besides, at the recorded rates: each of these is one more thread
    {APART, "switches", WHEN(AT_LEAST(ANSWERED, 0.3), AT_LEAST(ROUND_TRIPS, 1000)),
     "net --ping --limit {round_trips}", "{round_trips} requests and answers a second"},
    {APART, "switches", WHEN(AT_LEAST(ROUND_TRIPS, 1000)),
     "switch --limit {round_trips}", "{round_trips} times a second one thread wakes another and sleeps"},
    {APART, "writes", WHEN(AT_LEAST(SYNCS, 1), AT_LEAST(WRITE_BYTES, 1e4)),
     "io --sequential --sync data --block-size {write_block} --limit {write_bytes}",
     "{syncs} writes of {write_block} a second are made durable"},
    {APART, "writes", WHEN(AT_LEAST(WRITE_BYTES, 1e6)),
     "io --write --sequential --sync none --limit {write_bytes}",
     "{write_bytes} are written to the page cache"},
    {APART, "reads", WHEN(AT_LEAST(READ_BYTES, 1e6)),
     "io --read --sequential --block-size {read_block} --limit {read_bytes}",
     "{read_bytes} are read from disk"},
    {IN_TURN | SIMPLE | APART, "memory", WHEN(AT_LEAST(PRIVATE, 2.56e8)),
     "hog --threads 1 --size {private}", "{private} resident"},

    // ---- the most that it could do to caches, where nobody counted what it did
    {BOUND, "main", WHEN(AT_LEAST(SHARE, CLOSED), AT_LEAST(FOOTPRINT, 8e6), BELOW(BLOCKED, HELD_UP)),
     "mem --threads {threads} --footprint {footprint}",
     "runnable threads: {threads}, closed loop, which stream through as much memory as was resident"},
};
// clang-format on
const size_t imitation_rule_count = sizeof imitation_rules / sizeof imitation_rules[0];

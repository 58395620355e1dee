// Which loads are like a recorded neighbour: what a recording says of it, and the rules that make
// specs of that.
#ifndef IMITATE_IMITATE_H
#define IMITATE_IMITATE_H

#include "common/memory.h"
#include "common/options.h"

#include <stdbool.h>
#include <stddef.h>

// ---- recording.c: the means of a recording

// What rules look at. The first ones are columns of the recording; those behind COLUMNS follow from
// them. NAN: not recorded.
enum trait {
    CPU,     // CPUs that it had
    WAITING, // threads that waited for one
    RUNNABLE,
    BLOCKED, // threads that waited for a disk
    CPU_PRESSURE,
    IO_PRESSURE,
    CALLS_READ, // a second, also of pipes and sockets
    CALLS_WRITE,
    READ_BYTES, // a second
    WRITE_BYTES,
    DISK_READS, // operations of the device a second
    DISK_WRITES,
    DISK_READ_BYTES,
    DISK_WRITE_BYTES,
    SYNCS,
    SENT_PACKETS,
    RECEIVED_PACKETS,
    SWITCHES, // voluntary ones a second
    MINOR_FAULTS,
    FORKS,
    CACHE_MISSES,
    RESIDENT, // bytes
    PRIVATE,
    COLUMNS,
    WANTED = COLUMNS, // threads that ran or could have run
    THREADS,          // that many, each of which does so for a share of the time
    SHARE,            // of the time in which each of them ran or could have run
    PERCENT,          // the same as the load cpu has it
    HELD,             // share of what it wanted in which it waited: the CPUs were crowded
    DISK_THREADS,     // threads that the disk holds up, at least one
    READ_BLOCK,       // bytes of an operation
    WRITE_BLOCK,
    ROUND_TRIPS, // a second, if its packets or switches are those of requests and answers
    ANSWERED,    // switches for each packet, or where these are not known for each call
    STREAM,      // bytes a second of its cache misses
    FOOTPRINT,   // bytes of memory, as far as more make no difference to caches
    ROUNDS,      // of the load mixed, a second
    FAULTS_EACH, // for each second of its CPU time, as are the next ones
    FORKS_EACH,
    STREAM_EACH, // bytes
    BESIDES,     // 1: it does more than compute, and waits for nothing but a CPU
    OCCUPIED,    // threads that the disk held up, or that ran or could have run
    TRAITS
};

// Calls of fsync a second, of who waits for a disk.
#define MANY_SYNCS 10

struct recording {
    const char *path;
    double trait[TRAITS];
    size_t spans;
    double length_s;
    bool machine; // a jostle.profile/1: all programs of a machine, and only their CPU time
    bool varies;  // its CPU time changes by more than a third of its mean from span to span
    struct option_list unseen; // "WHAT (WHY)"
    struct arena arena;        // of these texts
};

// Reads the file, and works out what follows, its rates times a factor. False after a message that
// says what is wrong.
bool recording_read(struct recording *recording, const char *path, double times);
void recording_free(struct recording *recording);

// ---- candidates.c: the rules of rules.c, applied

enum { CANDIDATES_MOST = 3 };

struct candidate {
    const char *title; // what it is good for
    char *spec;        // as --load takes it
    char *means;       // one sentence: what stands for what
};

struct candidates {
    struct candidate candidate[CANDIDATES_MOST]; // the best first
    size_t count;                                // at least one
    struct option_list unknown; // what no rule can know of it; texts of the recording's arena
};

void candidates_find(struct candidates *candidates, struct recording *recording, double times);
void candidates_free(struct candidates *candidates);

// ---- check.c: reporters beside the neighbour, and beside each candidate

// Says which experiment that is (harness/study/study.h): reporters alone, beside the process, which
// is paused in between, and beside each candidate, in the same blocks, for about so long; its
// records are in FOLDER/check.
void check_step(const struct candidates *candidates, const char *folder, uint64_t pid,
                double time_s);
// What comes in front of the spec so that the kernel shares CPUs with the load as with that
// process: "[group=session] ",
// "[group=cgroup] ", or "" where nothing is to be set, or the process is not known (0).
const char *neighbour_group(uint64_t pid);
// Prints how far each candidate was from the neighbour, and which one was nearest. False after a
// message.
bool check_judge(const struct candidates *candidates, const char *folder, uint64_t pid);

// ---- command.c: what the command and a --load have in common

#define IMITATE "imitate" // the first word of a spec that stands for another one

struct imitate_request {
    double times;
    uint64_t candidate, pid;
    int64_t check_ns;
    bool specs;
    const char *step, *judge; // folders; NULL: not asked
};

// Reads "imitate [OPTIONS] FILE", and returns the file. Wrong use ends the program.
const char *imitate_parse(struct imitate_request *request, int argc, char **argv);

// The spec that one part of a --load stands for, the arena's: the part itself, if it does not begin
// with `imitate`. Wrong use ends the program.
const char *imitate_spec(struct arena *arena, const char *part);

#endif

// What a tree of processes uses: of those that live, and of those that end between two looks.
#ifndef LOADGEN_RECORD_TREE_H
#define LOADGEN_RECORD_TREE_H

#include "common/processes.h"

#include <stdint.h>

// What the kernel adds to a parent's own count once it has waited for a child.
enum tree_count {
    TREE_CPU_NS,
    TREE_READ_CALLS,
    TREE_WRITE_CALLS,
    TREE_READ_BYTES,
    TREE_WRITE_BYTES,
    TREE_MINOR,
    TREE_MAJOR,
    TREE_COUNTS,
};

struct tree_member {
    pid_t pid, parent;
    long long started;
    double count[TREE_COUNTS]; // with those of its children that were waited for
    double resident_bytes, private_bytes;
    bool ended; // a zombie: its count is whole
};

struct tree_thread {
    pid_t pid, id;
    char name[32];
    double cpu_ns, wait_ns;           // so far
    double voluntary, involuntary;    // switches so far
    double span_cpu_ns, span_wait_ns; // since tree_span()
    bool blocked;                     // in state D
};

struct tree_look {
    size_t count, allocated;
    struct tree_member *item;
};

struct tree_threads {
    size_t count, allocated;
    struct tree_thread *item;
};

struct tree_pids {
    size_t count, allocated;
    pid_t *item; // sorted
};

struct tree {
    const pid_t *roots; // sorted; processes that belong to it with all that they start
    size_t root_count;
    bool only_roots; // without what they start: a control group names all
    // Sums since the first look.
    double count[TREE_COUNTS];
    double wait_ns,
        seen_ns; // of the threads that a look met: seen_ns is their part of the CPU time
    double voluntary, involuntary, births;
    double blocked_ns, passed_ns; // thread-time in state D, as the looks met it, and their time
    // At the last look.
    double resident_bytes, private_bytes;
    size_t living;
    struct tree_look look, before;
    struct tree_threads threads, threads_before;
    bool lost;   // at the last look, something ended whose parent does not belong to it
    bool hidden; // figures of one of them may not be read
    bool has_wait, has_io;
    // Its own.
    struct processes processes; // those that may belong to it
    struct tree_pids strangers, strangers_before;
    long long last_pid;   // that the kernel had given
    long long first_tick; // what has started later counts from its beginning
    int64_t looked_ns;
};

// Looks at them: the sums grow by what was used since the last look. The roots may have changed
// meanwhile.
void tree_look(struct tree *tree, int64_t now_ns);
// A new span begins: the threads' span_... are 0.
void tree_span(struct tree *tree);
void tree_free(struct tree *tree);

#endif

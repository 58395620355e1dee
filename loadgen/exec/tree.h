#ifndef LOADGEN_TREE_H
#define LOADGEN_TREE_H

/* The descendants of this process, as /proc shows them. */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process {
    pid_t pid, parent;
    char state;          /* 'Z': ended, not waited for */
    int64_t children_ns; /* CPU time of children it has waited for */
    int descends;        /* from this process */
};

struct tree {
    size_t count;
    struct process *processes;
};

/* 0, or -1 with errno. tree_free() afterwards in any case. */
int tree_find(struct tree *tree);
void tree_free(struct tree *tree);
/* Sends a signal to every descendant that lives; returns how many there are. */
size_t tree_signal(int signal_number);
/* CPU time of all descendants: those that live, and those that have been
 * waited for by this process or by another descendant. */
int64_t tree_cpu_ns(void);

#endif

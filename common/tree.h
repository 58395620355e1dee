// The descendants of this process, as /proc shows them. A program that ends what it
// started makes itself a subreaper first, so that orphans remain its descendants.
#ifndef COMMON_TREE_H
#define COMMON_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Sends a signal (0: none) to every descendant that has not ended. Returns how many
// those are; 0 also when /proc cannot be read.
size_t tree_signal(int signal_number);
// As tree_signal(), to this process's own children only: the heads of the tree, and orphans.
size_t tree_signal_children(int signal_number);
// Waits for all children that have ended. False: no child is left. *status becomes that of `pid`,
// as of waitpid(), if it was among them.
bool tree_reap(pid_t pid, int *status);
// Kills all descendants, again and again for those that are forked meanwhile, and waits for them.
// Returns how many still live after 10 s: those are stuck in the kernel, or another user's.
size_t tree_kill(void);
// The descendants that have not ended, in a block to be freed; NULL where there is none.
pid_t *tree_list(size_t *count);
// CPU time in ns of all descendants: those that live, and those that have been waited
// for by this process or by another descendant.
int64_t tree_cpu_ns(void);

#endif

// Signals, waits for and kills the descendants of this process, and adds up their CPU time.
#include "common/tree.h"

#include "common/clock.h"
#include "common/processes.h"
#include "common/text.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONGEST_KILL_MS 10000

static struct processes read_tree(void)
{
    struct processes list = {0};
    processes_read_own_tree(&list);
    return list;
}

static bool lives(const struct process *process)
{
    return process->descends && process->state != 'Z' && process->state != 'X';
}

// To all descendants, or to those only that have that parent.
static size_t signal_some(int signal_number, const pid_t *parent)
{
    struct processes list = read_tree();
    size_t living = 0;
    for (size_t i = 0; i < list.count; i++) {
        const struct process *process = &list.process[i];
        if (!lives(process) || (parent && process->parent != *parent))
            continue;
        living++;
        if (signal_number != 0)
            (void)kill(process->pid, signal_number); // it may just have ended
    }
    processes_free(&list);
    return living;
}

size_t tree_signal(int signal_number)
{
    return signal_some(signal_number, NULL);
}

size_t tree_signal_children(int signal_number)
{
    const pid_t self = getpid();
    return signal_some(signal_number, &self);
}

bool tree_reap(pid_t pid, int *status)
{
    for (;;) {
        int one;
        const pid_t ended = waitpid(-1, &one, WNOHANG);
        if (ended == 0)
            return true;
        if (ended < 0 && errno != EINTR)
            return false;
        if (ended == pid)
            *status = one;
    }
}

size_t tree_kill(void)
{
    size_t living = 0;
    int status;
    for (int waited_ms = 0, wait_ms = 1; waited_ms < LONGEST_KILL_MS; waited_ms += wait_ms) {
        living = tree_signal(SIGKILL);
        if (!tree_reap(-1, &status))
            return 0;
        (void)usleep((useconds_t)wait_ms * 1000);
        wait_ms = wait_ms < 50 ? 2 * wait_ms : wait_ms;
    }
    return living;
}

pid_t *tree_list(size_t *count)
{
    struct processes list = read_tree();
    pid_t *pids = malloc((list.count + 1) * sizeof *pids);
    *count = 0;
    for (size_t i = 0; pids && i < list.count; i++)
        if (lives(&list.process[i]))
            pids[(*count)++] = list.process[i].pid;
    processes_free(&list);
    if (*count > 0)
        return pids;
    free(pids);
    return NULL;
}

int64_t tree_cpu_ns(void)
{
    struct processes list = read_tree();
    struct rusage ended;
    int64_t total_ns = 0;
    clockid_t clock;
    if (getrusage(RUSAGE_CHILDREN, &ended) == 0)
        total_ns = timeval_ns(ended.ru_utime) + timeval_ns(ended.ru_stime);
    for (size_t i = 0; i < list.count; i++) {
        if (!list.process[i].descends)
            continue;
        total_ns += (int64_t)list.process[i].waited * PROCESS_TICK_US * 1000;
        if (clock_getcpuclockid(list.process[i].pid, &clock) == 0) // else it has gone
            total_ns += clock_of(clock);
    }
    processes_free(&list);
    return total_ns;
}

// Looks again and again at a tree of processes, and adds up what it has used since. A child that
// ends between two looks is not lost: the kernel adds its figures to those of the parent that waits
// for it.

#include "tree.h"

#include "common/clock.h"
#include "common/file.h"
#include "common/machine.h"
#include "common/memory.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// ---- one process ----

// The number behind a word at the beginning of a line; 0: there is none.
static double behind(const char *text, const char *word)
{
    uint64_t value;
    return file_number(text, word, &value) ? (double)value : 0;
}

// Fields of /proc/PID/stat behind the name, the state being the first one (proc(5)).
enum { FIELD_MINOR = 7, FIELD_WAITED_MINOR, FIELD_MAJOR, FIELD_WAITED_MAJOR, FIELD_LAST };

static void take_faults(const char *text, double count[TREE_COUNTS])
{
    double field[FIELD_LAST + 1] = {0};
    const char *at = strrchr(text, ')');
    for (size_t i = 0; at && i < FIELD_LAST; i++) {
        at = strchr(at + 1, ' ');
        field[i] = at ? strtod(at + 1, NULL) : 0;
    }
    count[TREE_MINOR] = field[FIELD_MINOR] + field[FIELD_WAITED_MINOR];
    count[TREE_MAJOR] = field[FIELD_MAJOR] + field[FIELD_WAITED_MAJOR];
}

// Its counts so far into member. False: it has gone.
static bool read_counts(struct tree *tree, struct tree_member *member)
{
    char path[PATH_MAX], text[1024];
    struct process process;
    clockid_t clock;
    struct timespec own;
    double *count = member->count;
    if (!file_read(AT_FDCWD, process_path(member->pid, "stat", path), text, sizeof text) ||
        !process_parse(text, &process))
        return false;
    take_faults(text, count);
    const double tick_ns = PROCESS_TICK_US * 1e3;
    // The process's own clock counts ns, and its threads that have ended.
    count[TREE_CPU_NS] = (double)process.waited * tick_ns;
    if (clock_getcpuclockid(member->pid, &clock) == 0 && clock_gettime(clock, &own) == 0)
        count[TREE_CPU_NS] += (double)own.tv_sec * 1e9 + (double)own.tv_nsec;
    else
        count[TREE_CPU_NS] += (double)process.ticks * tick_ns;
    if (file_read(AT_FDCWD, process_path(member->pid, "io", path), text, sizeof text)) {
        tree->has_io = true;
        count[TREE_READ_CALLS] = behind(text, "syscr: ");
        count[TREE_WRITE_CALLS] = behind(text, "syscw: ");
        count[TREE_READ_BYTES] = behind(text, "\nread_bytes: ");
        count[TREE_WRITE_BYTES] = behind(text, "\nwrite_bytes: ");
    } else if (errno == EACCES || errno == EPERM) {
        tree->hidden = true;
    }
    member->ended = process.state == 'Z' || process.state == 'X';
    return true;
}

static void read_memory(struct tree *tree, struct tree_member *member)
{
    char path[PATH_MAX], text[256];
    unsigned long long resident = 0, shared = 0;
    if (!file_read(AT_FDCWD, process_path(member->pid, "statm", path), text, sizeof text) ||
        sscanf(text, "%*u %llu %llu", &resident, &shared) != 2)
        return;
    const double page = (double)sysconf(_SC_PAGESIZE);
    member->resident_bytes = (double)resident * page;
    member->private_bytes = (double)(resident - (shared < resident ? shared : resident)) * page;
    tree->resident_bytes += member->resident_bytes;
    tree->private_bytes += member->private_bytes;
}

// ---- its threads ----

static int by_id(const void *a, const void *b)
{
    const struct tree_thread *one = a, *other = b;
    return (one->id > other->id) - (one->id < other->id);
}

static bool read_thread(struct tree *tree, int folder, struct tree_thread *thread)
{
    char path[64], text[4096];
    unsigned long long ran = 0, waited = 0;
    snprintf(path, sizeof path, "%d/status", (int)thread->id);
    if (!file_read(folder, path, text, sizeof text))
        return false;
    (void)sscanf(text, "Name:\t%31[^\n]", thread->name);
    const char *state = strstr(text, "\nState:\t");
    thread->blocked = state && state[8] == 'D';
    thread->voluntary = behind(text, "\nvoluntary_ctxt_switches:\t");
    thread->involuntary = behind(text, "nonvoluntary_ctxt_switches:\t");
    snprintf(path, sizeof path, "%d/schedstat", (int)thread->id);
    if (file_read(folder, path, text, sizeof text) &&
        sscanf(text, "%llu %llu", &ran, &waited) == 2) {
        thread->cpu_ns = (double)ran;
        thread->wait_ns = (double)waited;
        tree->has_wait = tree->has_wait || waited > 0 || ran > 0;
    }
    return true;
}

// What a thread has used since the last look: all of it where it is new.
static void count_thread(struct tree *tree, struct tree_thread *thread, bool from_birth,
                         double passed_ns)
{
    const struct tree_threads *before = &tree->threads_before;
    const struct tree_thread *old =
        before->count == 0 ? NULL
                           : bsearch(thread, before->item, before->count, sizeof *thread, by_id);
    static const struct tree_thread nothing = {0};
    if (old && (old->pid != thread->pid || old->cpu_ns > thread->cpu_ns))
        old = NULL; // the number was used again
    if (!old && !from_birth)
        return;
    old = !old ? &nothing : old;
    const double cpu_ns = thread->cpu_ns - old->cpu_ns;
    const double wait_ns = fmax(thread->wait_ns - old->wait_ns, 0);
    thread->span_cpu_ns = old->span_cpu_ns + cpu_ns;
    thread->span_wait_ns = old->span_wait_ns + wait_ns;
    tree->seen_ns += cpu_ns;
    tree->wait_ns += wait_ns;
    tree->voluntary += fmax(thread->voluntary - old->voluntary, 0);
    tree->involuntary += fmax(thread->involuntary - old->involuntary, 0);
    tree->blocked_ns += thread->blocked ? passed_ns : 0;
}

static void read_threads(struct tree *tree, pid_t pid, bool from_birth, double passed_ns)
{
    char path[PATH_MAX];
    DIR *folder = opendir(process_path(pid, "task", path));
    if (!folder)
        return;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        struct tree_thread thread = {.pid = pid, .id = atoi(entry->d_name)};
        if (thread.id <= 0 || !read_thread(tree, dirfd(folder), &thread))
            continue;
        count_thread(tree, &thread, from_birth, passed_ns);
        MORE(&tree->threads) = thread;
    }
    closedir(folder);
}

// ---- who belongs to it ----

static int by_pid(const void *a, const void *b)
{
    const struct tree_member *one = a, *other = b;
    return (one->pid > other->pid) - (one->pid < other->pid);
}

static struct tree_member *member_of(const struct tree_look *look, pid_t pid)
{
    const struct tree_member key = {.pid = pid};
    return look->count == 0 ? NULL
                            : bsearch(&key, look->item, look->count, sizeof *look->item, by_pid);
}

static struct tree_member *member_same(const struct tree_look *look,
                                       const struct tree_member *member)
{
    struct tree_member *found = member_of(look, member->pid);
    return found && found->started == member->started ? found : NULL;
}

static int order_of_pids(const void *a, const void *b)
{
    const pid_t *one = a, *other = b;
    return (*one > *other) - (*one < *other);
}

static int order_of_processes(const void *a, const void *b)
{
    const struct process *one = a, *other = b;
    return (one->pid > other->pid) - (one->pid < other->pid);
}

static bool is_root(const struct tree *tree, const struct process *process)
{
    if (tree->root_count == 0 ||
        !bsearch(&process->pid, tree->roots, tree->root_count, sizeof *tree->roots, order_of_pids))
        return false;
    // After its end its number may be somebody else's; in a group it is listed as what it is.
    return tree->only_roots || tree->looked_ns == 0;
}

static const struct process *process_of(const struct processes *processes, pid_t pid)
{
    size_t low = 0, high = processes->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (processes->process[middle].pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low < processes->count && processes->process[low].pid == pid ? &processes->process[low]
                                                                        : NULL;
}

// The number that the newest process has; 0: not known.
static long long newest_pid(void)
{
    char path[PATH_MAX], text[128];
    long long pid = 0;
    if (file_read(AT_FDCWD, machine_path("/proc/loadavg", path), text, sizeof text))
        (void)sscanf(text, "%*s %*s %*s %*s %lld", &pid);
    return pid;
}

static void read_process(struct processes *processes, pid_t pid)
{
    struct process process;
    if (!process_read(pid, &process))
        return;
    processes->process =
        grown(processes->process, processes->count, &processes->room, sizeof *processes->process);
    processes->process[processes->count++] = process;
}

// Reads who may belong to it. To read all processes takes ms, so who was a stranger at the last
// look is passed over, as long as no number can have been given again.
static void read_candidates(struct tree *tree)
{
    char path[PATH_MAX];
    struct processes *processes = &tree->processes;
    const struct tree_pids old = tree->strangers_before;
    const long long newest = newest_pid();
    const bool same = tree->looked_ns != 0 && newest >= tree->last_pid;
    tree->last_pid = newest;
    tree->strangers_before = tree->strangers;
    tree->strangers = (struct tree_pids){0, old.allocated, old.item};
    processes->count = 0;
    for (size_t i = 0; tree->only_roots && i < tree->root_count; i++)
        read_process(processes, tree->roots[i]);
    DIR *folder = tree->only_roots ? NULL : opendir(machine_path("/proc", path));
    if (!folder)
        return;
    const struct tree_pids *known = &tree->strangers_before;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const pid_t pid = atoi(entry->d_name);
        if (pid <= 0)
            continue;
        if (same && known->count > 0 &&
            bsearch(&pid, known->item, known->count, sizeof pid, order_of_pids))
            MORE(&tree->strangers) = pid;
        else
            read_process(processes, pid);
    }
    closedir(folder);
    if (processes->count > 0)
        qsort(processes->process, processes->count, sizeof *processes->process, order_of_processes);
}

// Who does not belong to it is a stranger at the next look.
static void keep_strangers(struct tree *tree)
{
    for (size_t i = 0; i < tree->processes.count; i++)
        if (!tree->processes.process[i].descends)
            MORE(&tree->strangers) = tree->processes.process[i].pid;
    if (tree->strangers.count > 0)
        qsort(tree->strangers.item, tree->strangers.count, sizeof(pid_t), order_of_pids);
}

// Marks who belongs to it: a root, who did so before, even where another one is its parent by now,
// and what they have started.
static void mark(struct tree *tree)
{
    struct processes *all = &tree->processes;
    bool more = true;
    for (size_t i = 0; i < all->count; i++) {
        struct process *process = &all->process[i];
        const struct tree_member key = {.pid = process->pid, .started = process->started};
        process->descends = is_root(tree, process) ||
                            (!tree->only_roots && member_same(&tree->before, &key) != NULL);
    }
    while (more && !tree->only_roots) {
        more = false;
        for (size_t i = 0; i < all->count; i++) {
            struct process *process = &all->process[i];
            if (process->descends)
                continue;
            const struct process *parent = process_of(all, process->parent);
            process->descends = parent && parent->descends;
            more = more || process->descends;
        }
    }
}

// ---- what was used since ----

// Whether children of a process vanish without being added to its counts.
static bool leaves_children_uncounted(pid_t pid)
{
    char path[PATH_MAX], text[4096];
    if (!file_read(AT_FDCWD, process_path(pid, "status", path), text, sizeof text))
        return false;
    const char *ignored = strstr(text, "\nSigIgn:\t");
    return ignored && (strtoull(ignored + 9, NULL, 16) >> (SIGCHLD - 1) & 1) != 0;
}

// The member that has the counts of one that has gone in its own: the nearest of its parents that
// is there. NULL: none of them belongs to the tree.
static struct tree_member *heir_of(const struct tree *tree, const struct tree_member *gone)
{
    for (size_t steps = 0; gone && steps <= tree->before.count; steps++) {
        struct tree_member *heir = member_of(&tree->look, gone->parent);
        if (heir)
            return heir;
        gone = member_of(&tree->before, gone->parent);
    }
    return NULL;
}

// Its counts were in the sums already, and are in its heir's now.
static void count_gone(struct tree *tree, const struct tree_member *gone)
{
    struct tree_member *heir = heir_of(tree, gone);
    if (!heir) {
        tree->lost = true;
        return;
    }
    if (leaves_children_uncounted(heir->pid))
        return;
    for (size_t i = 0; i < TREE_COUNTS; i++)
        tree->count[i] -= gone->count[i];
    // It may have been read before it had waited for the child that was gone a moment later.
    (void)read_counts(tree, heir);
}

static void count_members(struct tree *tree)
{
    for (size_t i = 0; i < tree->before.count; i++)
        if (!member_same(&tree->look, &tree->before.item[i]))
            count_gone(tree, &tree->before.item[i]);
    for (size_t i = 0; i < tree->look.count; i++) {
        const struct tree_member *member = &tree->look.item[i];
        const struct tree_member *old = member_same(&tree->before, member);
        if (!old && (tree->looked_ns == 0 || member->started < tree->first_tick))
            continue; // it has joined with a past of its own
        tree->births += old ? 0 : 1;
        for (size_t k = 0; k < TREE_COUNTS; k++)
            tree->count[k] += member->count[k] - (old ? old->count[k] : 0);
    }
}

// USER_HZ ticks since boot, as processes have their beginning.
static long long ticks_now(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_BOOTTIME, &now);
    return (long long)now.tv_sec * 100 + now.tv_nsec / 10000000;
}

void tree_look(struct tree *tree, int64_t now_ns)
{
    const struct tree_look members = tree->before;
    const struct tree_threads threads = tree->threads_before;
    const double passed_ns = tree->looked_ns == 0 ? 0 : (double)(now_ns - tree->looked_ns);
    if (tree->looked_ns == 0)
        tree->first_tick = ticks_now();
    tree->before = tree->look;
    tree->threads_before = tree->threads;
    tree->look = (struct tree_look){0, members.allocated, members.item};
    tree->threads = (struct tree_threads){0, threads.allocated, threads.item};
    tree->resident_bytes = tree->private_bytes = 0;
    tree->living = 0;
    tree->lost = false;
    read_candidates(tree);
    mark(tree);
    keep_strangers(tree);
    for (size_t i = 0; i < tree->processes.count; i++) {
        const struct process *process = &tree->processes.process[i];
        struct tree_member member = {
            .pid = process->pid, .parent = process->parent, .started = process->started};
        if (!process->descends || !read_counts(tree, &member))
            continue;
        read_memory(tree, &member);
        const bool from_birth = tree->looked_ns != 0 && (member_same(&tree->before, &member) ||
                                                         member.started >= tree->first_tick);
        if (!member.ended)
            read_threads(tree, member.pid, from_birth, passed_ns);
        tree->living += member.ended ? 0 : 1;
        MORE(&tree->look) = member;
    }
    qsort(tree->threads.item, tree->threads.count, sizeof *tree->threads.item, by_id);
    count_members(tree);
    tree->passed_ns += passed_ns;
    tree->looked_ns = now_ns;
}

void tree_span(struct tree *tree)
{
    for (size_t i = 0; i < tree->threads.count; i++)
        tree->threads.item[i].span_cpu_ns = tree->threads.item[i].span_wait_ns = 0;
}

void tree_free(struct tree *tree)
{
    free(tree->look.item);
    free(tree->before.item);
    free(tree->threads.item);
    free(tree->threads_before.item);
    free(tree->strangers.item);
    free(tree->strangers_before.item);
    processes_free(&tree->processes);
}

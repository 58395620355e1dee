#include "common/processes.h"

#include "common/clock.h"
#include "common/file.h"
#include "common/machine.h"
#include "common/messages.h"
#include "common/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// Source: proc_pid_stat(5).

// Fields of the line, counted from 1 as in proc_pid_stat(5).
enum field {
    FIELD_PARENT = 4,
    FIELD_SESSION = 6,
    FIELD_FLAGS = 9,
    FIELD_USER_TIME = 14, // and system, and both of children
    FIELD_THREADS = 20,
    FIELD_STARTED = 22, // what older kernels and made-up machines have ends here
    FIELD_CPU = 39,
    FIELD_DISK_WAIT = 42,
    FIELDS,
};

#define FLAG_KERNEL 0x00200000 // PF_KTHREAD

// "PID (NAME) STATE PPID PGRP SESSION ... utime stime ... starttime": the name may hold
// anything, even ") ".
bool process_parse(const char *text, struct process *process)
{
    const char *name = strchr(text, '('), *end = strrchr(text, ')');
    long long field[FIELDS] = {[FIELD_CPU] = -1};
    int known = FIELD_PARENT;
    if (!name || !end || end < name || end[1] != ' ' || end[2] == '\0')
        return false;
    process->state = end[2];
    for (char *next = NULL; known < FIELDS; known++) {
        const char *at = !next ? end + 3 : next;
        field[known] = strtoll(at, &next, 10);
        if (next == at)
            break;
    }
    if (known <= FIELD_STARTED)
        return false;
    if (known <= FIELD_CPU)
        field[FIELD_CPU] = -1;
    process->descends = false;
    process->pid = (pid_t)strtol(text, NULL, 10);
    process->parent = (pid_t)field[FIELD_PARENT];
    process->session = (pid_t)field[FIELD_SESSION];
    process->kernel = (field[FIELD_FLAGS] & FLAG_KERNEL) != 0;
    process->ticks = field[FIELD_USER_TIME] + field[FIELD_USER_TIME + 1];
    process->waited = field[FIELD_USER_TIME + 2] + field[FIELD_USER_TIME + 3];
    process->threads = (int)field[FIELD_THREADS];
    process->started = field[FIELD_STARTED];
    process->cpu = (int)field[FIELD_CPU];
    process->disk_wait = field[FIELD_DISK_WAIT];
    snprintf(process->name, sizeof process->name, "%.*s", (int)(end - name - 1), name + 1);
    return true;
}

static bool read_stat(int folder, const char *path, struct process *process)
{
    char text[1024];
    struct stat owner;
    const int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const bool read = file_read_open(fd, text, sizeof text) && fstat(fd, &owner) == 0;
    (void)close(fd);
    if (!read || !process_parse(text, process))
        return false;
    process->user = owner.st_uid;
    return true;
}

const char *process_path(pid_t pid, const char *name, char buffer[PATH_MAX])
{
    char inner[128];
    if (pid == 0)
        snprintf(inner, sizeof inner, "/proc/self/%s", name);
    else
        snprintf(inner, sizeof inner, "/proc/%d/%s", (int)pid, name);
    return machine_path(inner, buffer);
}

bool process_read(pid_t pid, struct process *process)
{
    char path[PATH_MAX];
    return read_stat(AT_FDCWD, process_path(pid, "stat", path), process);
}

static int by_pid(const void *a, const void *b)
{
    const struct process *one = a, *other = b;
    return (one->pid > other->pid) - (one->pid < other->pid);
}

// False: there is no memory for it.
static bool append(struct processes *processes, const struct process *process)
{
    if (processes->count == processes->room) {
        const size_t room = processes->room == 0 ? 256 : 2 * processes->room;
        struct process *more = realloc(processes->process, room * sizeof *more);
        if (!more)
            return false;
        processes->process = more;
        processes->room = room;
    }
    processes->process[processes->count++] = *process;
    return true;
}

static void read_folder(struct processes *processes, const char *path)
{
    struct process process;
    char inner[300];
    processes->count = 0;
    DIR *folder = opendir(path);
    if (!folder)
        return;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
            continue;
        snprintf(inner, sizeof inner, "%s/stat", entry->d_name);
        if (read_stat(dirfd(folder), inner, &process) && !append(processes, &process))
            break;
    }
    closedir(folder);
}

void processes_read(struct processes *processes)
{
    char path[PATH_MAX];
    read_folder(processes, machine_path("/proc", path));
    if (processes->count > 0)
        qsort(processes->process, processes->count, sizeof *processes->process, by_pid);
}

void processes_free(struct processes *processes)
{
    free(processes->process);
    *processes = (struct processes){0};
}

const struct process *processes_same(const struct processes *processes,
                                     const struct process *process)
{
    const struct process *found =
        processes->count == 0
            ? NULL
            : bsearch(process, processes->process, processes->count, sizeof *process, by_pid);
    return found && found->started == process->started ? found : NULL;
}

#define LONGEST_KILL_MS 10000

static int by_parent(const void *a, const void *b)
{
    const struct process *first = a, *second = b;
    return (first->parent > second->parent) - (first->parent < second->parent);
}

// The first of the processes, sorted by their parents, whose parent is not below
// `parent`.
static size_t first_child(const struct processes *list, pid_t parent)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list->process[middle].parent < parent)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Marks the children of `parent`, and notes them at the end of the queue; each process
// has one parent, so each is noted once.
static void mark_children(struct processes *list, pid_t parent, size_t *queue, size_t *queued)
{
    for (size_t i = first_child(list, parent); i < list->count && list->process[i].parent == parent;
         i++) {
        if (list->process[i].descends)
            continue; // ids that were used again while we read can make a ring
        list->process[i].descends = true;
        queue[(*queued)++] = i;
    }
}

// Generation by generation from the root on; sorts them by their parents.
static void mark_descendants(struct processes *list, pid_t root)
{
    size_t queued = 0;
    size_t *queue = calloc(list->count + 1, sizeof *queue);
    if (!queue)
        return;
    qsort(list->process, list->count, sizeof *list->process, by_parent);
    mark_children(list, root, queue, &queued);
    for (size_t i = 0; i < queued; i++)
        mark_children(list, list->process[queue[i]].pid, queue, &queued);
    free(queue);
}

void processes_read_tree(struct processes *processes, pid_t root)
{
    processes_read(processes);
    mark_descendants(processes, root);
    if (processes->count > 0)
        qsort(processes->process, processes->count, sizeof *processes->process, by_pid);
}

// All processes of this machine, never of a made-up one: they are to be signalled. Descendants are
// marked; processes_free() afterwards. Where memory or /proc is short the list is incomplete: the
// caller's next walk finds the rest.
static struct processes read_tree(void)
{
    struct processes list = {0};
    read_folder(&list, "/proc");
    mark_descendants(&list, getpid());
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

// What the program has left is asked to end first: it may have files of its own to remove. Another
// keeper among it has more to do than to end. A killed process may make children until it is really
// gone, so all are killed again and again; what hangs in the kernel is given up.
#define NOT_ENDED     (-1) // no status
#define ASK_NS        (NS_PER_S / 2)
#define ASK_KEEPER_NS (5 * NS_PER_S)
#define KILL_NS       (2 * NS_PER_S)
#define ROUND_NS      (NS_PER_S / 100)
// How the names of those end that end what is below them, and remove its control groups.
static const char *const name_ends[] = {"-keeper", "-guard"};

// SIGTERM to this process when its parent dies; false if it has died already.
static bool follow(pid_t parent)
{
    return prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == parent;
}

static int exit_code(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Waits for the next signal, and passes it on. What is typed (Ctrl-C) the terminal sends to all of
// the group; that it was closed, to the leader of the session alone.
static void pass_one(pid_t pid, const sigset_t *passed)
{
    siginfo_t info = {0};
    const int signal_number = sigwaitinfo(passed, &info);
    const bool is_typed = info.si_code == SI_KERNEL && signal_number != SIGHUP;
    if (signal_number > 0 && signal_number != SIGCHLD && !is_typed)
        (void)kill(pid, signal_number);
}

static bool is_keeper(pid_t pid)
{
    char path[64], name[32];
    (void)snprintf(path, sizeof path, "/proc/%ld/comm", (long)pid);
    if (!file_read(AT_FDCWD, path, name, sizeof name))
        return false;
    name[strcspn(name, "\n")] = '\0';
    return text_ends(name, name_ends[0]) || text_ends(name, name_ends[1]);
}

static bool has_keeper_below(void)
{
    size_t count;
    pid_t *pids = tree_list(&count);
    bool found = false;
    for (size_t i = 0; i < count && !found; i++)
        found = is_keeper(pids[i]);
    free(pids);
    return found;
}

// Waits a moment. False once there is no child left.
static bool wait_round(const sigset_t *passed)
{
    const struct timespec round = {.tv_nsec = ROUND_NS};
    int status;
    (void)sigtimedwait(passed, NULL, &round);
    return tree_reap(-1, &status);
}

static bool ask_to_end(const sigset_t *passed)
{
    const int64_t start_ns = clock_ns();
    bool left = true;
    (void)tree_signal(SIGTERM);
    (void)tree_signal(SIGCONT); // a stopped one would not notice
    while (left && (clock_ns() - start_ns < ASK_NS ||
                    (clock_ns() - start_ns < ASK_KEEPER_NS && has_keeper_below())))
        left = wait_round(passed);
    return left;
}

// Kills all but the keepers among them: each then ends what it has, and removes what that leaves.
static bool leave_to_keepers(const sigset_t *passed)
{
    const int64_t start_ns = clock_ns();
    size_t count;
    pid_t *pids = tree_list(&count);
    bool left = true;
    for (size_t i = 0; i < count; i++)
        if (!is_keeper(pids[i]))
            (void)kill(pids[i], SIGKILL);
    free(pids);
    while (left && clock_ns() - start_ns < ASK_KEEPER_NS && has_keeper_below())
        left = wait_round(passed);
    return left;
}

static void end_what_is_left(const sigset_t *passed)
{
    int status;
    // To ask whether there is a child costs nothing, to list the tree takes milliseconds.
    bool left = tree_reap(-1, &status) && ask_to_end(passed) && leave_to_keepers(passed);
    const int64_t start_ns = clock_ns();
    while (left && clock_ns() - start_ns < KILL_NS) {
        (void)tree_signal(SIGKILL);
        left = wait_round(passed);
    }
    if (left)
        complain("%zu processes cannot be killed: they are left behind", tree_signal(0));
}

// Keeps nothing open of the caller's: no lock, and no pipe whose end others wait for.
static void let_go(void)
{
    const int null = open("/dev/null", O_RDWR);
    if (null >= 0) {
        (void)dup2(null, STDIN_FILENO);
        (void)dup2(null, STDOUT_FILENO);
    }
    file_close_from(STDERR_FILENO + 1);
}

static int keep(const struct keeper *keeper, pid_t program)
{
    int status = NOT_ENDED;
    (void)setsid();
    (void)prctl(PR_SET_NAME, keeper->name);
    let_go(); // also of the gate: the program begins
    while (tree_reap(program, &status), status == NOT_ENDED)
        pass_one(program, keeper->passed);
    if (keeper->always || WIFSIGNALED(status))
        end_what_is_left(keeper->passed);
    if (WIFSIGNALED(status) && keeper->tidy)
        keeper->tidy(keeper->with);
    if (!WIFSIGNALED(status) && keeper->end)
        keeper->end(keeper->with);
    return exit_code(status);
}

// A shell that did `job & exec program` leaves its job to us as a child, which is not ours to end;
// and the leader of a process group cannot leave it. In both cases the keeper is one more process.
static bool needs_front(void)
{
    siginfo_t ignored;
    return waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT) == 0 || getpgrp() == getpid();
}

// Forks; the child, which is the only one to return 0, follows its parent. -1 after a message.
static pid_t fork_follower(void)
{
    const pid_t self = getpid();
    const pid_t pid = fork();
    if (pid == 0 && !follow(self))
        _exit(128 + SIGTERM);
    if (pid < 0)
        complain("cannot fork: %s: too many processes?", strerror(errno));
    return pid;
}

static int be_front(const struct keeper *keeper, pid_t pid)
{
    int status;
    let_go();
    while (waitpid(pid, &status, WNOHANG) != pid)
        pass_one(pid, keeper->passed);
    return exit_code(status);
}

// The program begins when its keeper has left the group, and is safe from what is sent to that:
// then the other end of the gate is closed.
static void wait_at(const int gate[2])
{
    char byte;
    (void)close(gate[1]);
    while (read(gate[0], &byte, 1) < 0 && errno == EINTR)
        ;
    (void)close(gate[0]);
}

bool keeper_start(const struct keeper *keeper, int *code)
{
    *code = EXIT_FAILURE;
    if (keeper->parent != 0 && !follow(keeper->parent))
        return complain("the caller is gone: nothing was run");
    if (keeper->front || needs_front()) {
        const pid_t pid = fork_follower();
        if (pid > 0)
            *code = be_front(keeper, pid);
        if (pid != 0)
            return false;
    }
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return complain("cannot become the tree's reaper: %s", strerror(errno));
    int gate[2];
    if (pipe2(gate, O_CLOEXEC) != 0)
        return complain("cannot make a pipe: %s", strerror(errno));
    const pid_t program = fork_follower();
    if (program > 0)
        *code = keep(keeper, program);
    if (program == 0)
        wait_at(gate);
    return program == 0;
}

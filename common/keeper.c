// Puts a process above a program that ends all that the program has left.
#include "common/keeper.h"

#include "common/clock.h"
#include "common/file.h"
#include "common/messages.h"
#include "common/text.h"
#include "common/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

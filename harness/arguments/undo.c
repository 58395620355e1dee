// Runs a command that undoes something, to its end, whatever signals come meanwhile.

#include "undo.h"

#include "common/child.h"
#include "common/clock.h"
#include "common/messages.h"
#include "common/tree.h"
#include "common/units.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIES 5
// jostle prints nothing about a command that ends within this time, with or without a signal.
#define QUIET_NS      NS_PER_S
#define LONG_NS       (5 * NS_PER_S)
#define NEVER         INT64_MAX
#define EXIT_DEADLINE 124 // as timeout(1) has it
#define EXIT_NO_START 127

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define ENDING_COUNT (sizeof ending / sizeof *ending)

struct wait {
    const char *what;
    pid_t pid;
    int64_t limit_ns;
    int64_t deadline_ns; // NEVER: it has not begun to count
    int64_t say_ns;      // when to say what is waited for
    bool signalled;
    sigset_t awaited;
};

// A signal to the process group of jostle, and a terminal's Ctrl-C, do not reach the command.
// Nor does it stop where it reads from or writes to the terminal from there.
static void become(char *const *command)
{
    sigset_t none;
    char why[512];
    (void)setpgid(0, 0);
    for (size_t i = 0; i < ENDING_COUNT; i++)
        (void)signal(ending[i], SIG_DFL);
    (void)signal(SIGTTIN, SIG_IGN);
    (void)signal(SIGTTOU, SIG_IGN);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)execvp(command[0], command);
    complain("%s: %s", command[0], child_why(command[0], errno, why, sizeof why));
    _exit(EXIT_NO_START);
}

static void say(struct wait *wait)
{
    const int64_t left_ns = wait->deadline_ns - clock_ns();
    wait->say_ns = NEVER;
    complain("waits for %s, for another %.0f s at most (to give it up: kill -9 %ld)", wait->what,
             left_ns < 0 ? 0 : (double)left_ns / NS_PER_S, (long)wait->pid);
}

static void take_signal(struct wait *wait)
{
    const int64_t now_ns = clock_ns();
    if (wait->deadline_ns == NEVER)
        wait->deadline_ns = now_ns + wait->limit_ns;
    if (wait->signalled)
        say(wait);
    else
        wait->say_ns = now_ns + QUIET_NS;
    wait->signalled = true;
}

static void kill_all(const struct wait *wait)
{
    (void)kill(-wait->pid, SIGKILL);
    (void)tree_kill(); // what has a group of its own, and this waits for all
}

// Waits for the next signal, or until something is to be said or ended.
static void wait_once(struct wait *wait)
{
    const int64_t until_ns = wait->say_ns < wait->deadline_ns ? wait->say_ns : wait->deadline_ns;
    const int64_t left_ns = until_ns == NEVER ? 0 : until_ns - clock_ns();
    const struct timespec left = {.tv_sec = left_ns < 0 ? 0 : left_ns / NS_PER_S,
                                  .tv_nsec = left_ns < 0 ? 0 : left_ns % NS_PER_S};
    const int number = sigtimedwait(&wait->awaited, NULL, until_ns == NEVER ? NULL : &left);
    if (number > 0 && number != SIGCHLD)
        take_signal(wait);
    else if (number < 0 && clock_ns() >= wait->say_ns)
        say(wait);
}

// The exit status of the command, or of our own.
static int wait_for(struct wait *wait)
{
    int status;
    pid_t ended;
    while ((ended = waitpid(wait->pid, &status, WNOHANG)) == 0) {
        if (clock_ns() >= wait->deadline_ns) {
            kill_all(wait);
            complain("has waited %.0f s for %s, and killed what has not ended",
                     (double)wait->limit_ns / NS_PER_S, wait->what);
            return EXIT_DEADLINE;
        }
        wait_once(wait);
    }
    if (ended < 0)
        return EXIT_FAILURE;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        kill_all(wait); // it was given up
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Whether what ends jostle has ended the command: a batch system sends it to each process of a job.
static bool is_ended_along(int code)
{
    for (size_t i = 0; i < ENDING_COUNT; i++)
        if (code == 128 + ending[i])
            return true;
    return false;
}

static void take_signals(struct wait *wait)
{
    (void)setpgid(0, 0);
    (void)sigemptyset(&wait->awaited);
    (void)sigaddset(&wait->awaited, SIGCHLD);
    for (size_t i = 0; i < ENDING_COUNT; i++)
        (void)sigaddset(&wait->awaited, ending[i]);
    (void)sigprocmask(SIG_BLOCK, &wait->awaited, NULL);
    (void)signal(SIGCHLD, SIG_DFL);
    // Blocked, but ignored as bash has it of a job in the background, it would not come.
    for (size_t i = 0; i < ENDING_COUNT; i++)
        (void)signal(ending[i], SIG_DFL);
}

// Sets when the command is ended; after `signal` there is no such time yet.
static void set_deadline(struct wait *wait, const char *since)
{
    if (strcmp(since, "signal") == 0)
        return;
    wait->signalled = strcmp(since, "signalled") == 0;
    wait->deadline_ns = clock_ns() + wait->limit_ns;
    wait->say_ns = clock_ns() + (wait->signalled ? QUIET_NS : LONG_NS);
}

int undo(int argc, char **argv)
{
    uint64_t seconds;
    if (argc < 4 || units_count(argv[1], &seconds) != 0 || seconds > INT32_MAX)
        return 2;
    struct wait wait = {.what = argv[0],
                        .limit_ns = (int64_t)seconds * NS_PER_S,
                        .deadline_ns = NEVER,
                        .say_ns = NEVER};
    int code = EXIT_FAILURE;
    take_signals(&wait);
    set_deadline(&wait, argv[2]);
    for (int i = 0; i < TRIES; i++) {
        wait.pid = fork();
        if (wait.pid == 0)
            become(argv + 3);
        if (wait.pid < 0)
            return !complain("cannot fork: %s: too many processes?", strerror(errno));
        (void)setpgid(wait.pid, wait.pid);
        code = wait_for(&wait);
        if (!is_ended_along(code))
            break;
    }
    return code;
}

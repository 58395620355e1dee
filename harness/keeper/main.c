// keeper: runs a command of jostle, and when that is killed ends what it had started, and has
// removed what it had left.
#include "common/child.h"
#include "common/file.h"
#include "common/keeper.h"
#include "common/messages.h"
#include "common/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_NOT_EXECUTABLE 126
#define EXIT_INTERRUPTED    (128 + SIGINT)

struct keeper_settings {
    const char *folder;
    const char *killed;
};

#define ROW(name, argument, type, member)                                                          \
    OPTION_ROW(struct keeper_settings, name, argument, type, member)

static const struct option_row rows[] = {
    {ROW("folder", "FOLDER", OPTION_TEXT, folder),
     .help = "what COMMAND makes for itself while it runs is there, and is removed at its end"},
    {ROW("killed", "PROGRAM", OPTION_TEXT, killed),
     .help = "run PROGRAM FOLDER when COMMAND was killed and FOLDER is there"},
    {0},
};

static const char intro[] =
    "Runs COMMAND; when it is killed, ends all that it has started, also daemons.";

static const char details[] =
    "SIGTERM, SIGINT, SIGHUP and SIGQUIT are passed on to COMMAND. What it has left running when "
    "it "
    "ends by itself stays.\n\n"
    "Exit status: that of COMMAND, 128 + signal when it was killed (when interrupted, by SIGINT "
    "itself); 126 it could not be started; "
    "2 wrong use.";

static const int ending[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
#define ENDING_COUNT (sizeof ending / sizeof *ending)

// run_killed: none of the signals, of which one may have come already, keeps us or PROGRAM from it.
static void run_killed(void *with)
{
    const struct keeper_settings *settings = with;
    const char *const words[] = {settings->killed, settings->folder, NULL};
    sigset_t none;
    for (size_t i = 0; i < ENDING_COUNT; i++)
        (void)signal(ending[i], SIG_IGN);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (settings->killed && settings->folder && access(settings->folder, F_OK) == 0)
        (void)child_run(words, -1, NULL);
}

static void remove_folder(void *with)
{
    const struct keeper_settings *settings = with;
    if (settings->folder && access(settings->folder, F_OK) == 0)
        file_remove_tree(settings->folder);
}

// take_signals: blocks those that are passed on, and fills in the mask of before. One that the
// caller ignores (as nohup does) stays ignored.
static void take_signals(sigset_t *passed, sigset_t *before)
{
    (void)sigemptyset(passed);
    (void)sigaddset(passed, SIGCHLD);
    for (size_t i = 0; i < ENDING_COUNT; i++) {
        struct sigaction action;
        if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            (void)sigaddset(passed, ending[i]);
    }
    (void)sigprocmask(SIG_BLOCK, passed, before);
}

// end_as: ends with the exit status, or by SIGINT where COMMAND was interrupted: a shell script
// that started us ends with Ctrl-C only if what it waits for died of that, and has not just noticed
// it.
static int end_as(int code, const sigset_t *passed)
{
    sigset_t interrupt;
    if (code != EXIT_INTERRUPTED || sigismember(passed, SIGINT) != 1)
        return code;
    (void)signal(SIGINT, SIG_DFL);
    (void)sigemptyset(&interrupt);
    (void)sigaddset(&interrupt, SIGINT);
    (void)raise(SIGINT);
    (void)sigprocmask(SIG_UNBLOCK, &interrupt, NULL);
    return code;
}

int main(int argc, char **argv)
{
    streams_open();
    struct keeper_settings settings = {0};
    const struct option_group group = {.rows = rows, .values = &settings};
    const struct program program = {.name = "keeper",
                                    .usage = "-- COMMAND [ARGUMENT...]",
                                    .intro = intro,
                                    .details = details,
                                    .groups = &group,
                                    .group_count = 1,
                                    .stop_at_operand = true};
    const struct sigaction standard = {.sa_handler = SIG_DFL};
    struct sigaction child;
    sigset_t passed, before;
    char why[512];
    int rest, code;
    options_free(options_parse(&program, argc, argv, &rest));
    if (!argv[rest])
        usage_error("no command: give one after --, as in keeper -- sleep 1");
    take_signals(&passed, &before);
    // Were it ignored, the kernel would reap without telling us.
    (void)sigaction(SIGCHLD, &standard, &child);
    const struct keeper keeper = {.passed = &passed,
                                  .name = "jostle-keeper",
                                  .front = true,
                                  .tidy = run_killed,
                                  .end = remove_folder,
                                  .with = &settings};
    if (!keeper_start(&keeper, &code))
        return end_as(code, &passed);
    (void)sigaction(SIGCHLD, &child, NULL);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    (void)execvp(argv[rest], argv + rest);
    complain("%s: %s", argv[rest], child_why(argv[rest], errno, why, sizeof why));
    return EXIT_NOT_EXECUTABLE;
}

// start: becomes a command on certain CPUs, in a session of its own, or one that ends with who
// has started it: what bash cannot do, and what util-linux is not there for everywhere.

#include "common/cgroup.h"
#include "common/child.h"
#include "common/cpus.h"
#include "common/messages.h"
#include "common/options.h"
#include "common/setting.h"
#include "common/text.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define EXIT_NOT_EXECUTABLE 126

struct choices {
    const char *cpus;
    const char *with_parent;
    bool session, default_signals;
    struct option_list set;
    uint64_t check; // a process; 0: not given
    bool sweep;
};

#define ROW(name, argument, type, member) OPTION_ROW(struct choices, name, argument, type, member)

static bool check_setting(const char *text, char *error, size_t size)
{
    struct setting setting;
    return setting_read(&setting, text, error, size);
}

static const struct option_row rows[] = {
    {ROW("cpus", "CPUS", OPTION_CPUS, cpus), .help = "only on these CPUs"},
    {ROW("with-parent", "SIGNAL", OPTION_TEXT, with_parent), .check = signal_check, .wrong = "NONE",
     .help = "COMMAND gets SIGNAL when who has started it ends, however that is"},
    {ROW("default-signals", NULL, OPTION_FLAG, default_signals),
     .help = "SIGINT and SIGQUIT end COMMAND, also where a shell has had them ignored"},
    {ROW("session", NULL, OPTION_FLAG, session),
     .help = "in a session of its own, and in the background: returns at once"},
    {ROW("set", "SETTING", OPTION_LIST, set), .check = check_setting, .wrong = "colour=green",
     .help =
         "with that setting of the kernel, such as nice=10 or cpu.weight=10, which is read back"},
    {ROW("check", "PID", OPTION_COUNT, check), .minimum = 1, .maximum = INT32_MAX,
     .help = "start nothing: does the process, and all that it has started, have the settings of "
             "--set?"},
    {ROW("sweep", NULL, OPTION_FLAG, sweep),
     .help =
         "start nothing: remove the groups that --set has made for processes which are no more"},
    {0},
};

// Settings of ours, or whether another process has them.
static void set(const struct choices *choices)
{
    struct setting settings[SETTINGS_MOST];
    char error[SETTING_ERROR] = "";
    const size_t count = choices->set.count;
    if (count > SETTINGS_MOST)
        usage_error("--set: %zu settings: give at most %d", count, SETTINGS_MOST);
    for (size_t i = 0; i < count; i++)
        (void)setting_read(&settings[i], choices->set.item[i], error, sizeof error);
    const pid_t process = (pid_t)choices->check;
    if (process > 0 ? settings_verify(settings, count, process, error, sizeof error) &&
                          settings_verify_tree(settings, count, process, error, sizeof error)
                    : settings_apply(settings, count, error, sizeof error))
        return;
    complain("setting %s", error);
    exit(EXIT_NOT_EXECUTABLE);
}

static void parse(struct choices *choices, int argc, char **argv, int *rest)
{
    const struct option_group group = {.rows = rows, .values = choices};
    const struct program program = {
        .name = "start",
        .usage = "-- COMMAND [ARGUMENT...]",
        .intro = "Becomes COMMAND, in the way that the options say.",
        .details = "Exit status: that of COMMAND; 126 it could not be started; 1 failure; "
                   "2 wrong use.",
        .groups = &group,
        .group_count = 1,
        .stop_at_operand = true,
    };
    *choices = (struct choices){0};
    struct options *given = options_parse(&program, argc, argv, rest);
    if (choices->set.count > 0)
        set(choices); // the texts are those of the options
    options_free(given);
    if (!argv[*rest] && choices->check == 0 && !choices->sweep)
        usage_error("no command: give one after --, as in start --cpus 0 -- sleep 1");
}

static void pin(const char *cpus)
{
    struct cpu_list list;
    if (cpus_parse(cpus, &list) == 0 && cpus_pin_list(&list) == 0)
        return;
    complain(
        "CPUs %s: none of these may be used here: give some of those that jostle topology shows",
        cpus);
    exit(EXIT_FAILURE);
}

// The parent returns to who waits for it.
static void begin_session(void)
{
    const pid_t child = fork();
    if (child > 0)
        exit(EXIT_SUCCESS);
    if (child == 0 && setsid() >= 0)
        return;
    complain("no process of its own (%s): raise that limit",
             limits_why(errno, (char[LIMITS_WHY]){0}, LIMITS_WHY));
    exit(EXIT_FAILURE);
}

static void reset_signals(void)
{
    static const int ignored[] = {SIGINT, SIGQUIT};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        (void)signal(ignored[i], SIG_DFL);
}

int main(int argc, char **argv)
{
    streams_open();
    const pid_t parent = getppid();
    struct choices choices;
    char why[512];
    int rest;
    parse(&choices, argc, argv, &rest);
    if (choices.session)
        begin_session();
    if (choices.cpus)
        pin(choices.cpus);
    if (choices.sweep)
        setting_groups_sweep();
    if (!argv[rest])
        return EXIT_SUCCESS;
    if (choices.default_signals)
        reset_signals();
    if (choices.with_parent) {
        const int number = signal_number(choices.with_parent);
        (void)prctl(PR_SET_PDEATHSIG, (unsigned long)number);
        if (!choices.session && getppid() != parent) // it has ended before we could say so
            (void)raise(number);
    }
    (void)execvp(argv[rest], argv + rest);
    complain("%s: %s", argv[rest], child_why(argv[rest], errno, why, sizeof why));
    return EXIT_NOT_EXECUTABLE;
}

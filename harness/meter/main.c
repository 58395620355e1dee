// meter: runs a command, once or again and again, and writes what it took, as one
// JSON line a run.

#include "run.h"
#include "service.h"
#include "settings.h"
#include "signals.h"

#include "common/file.h"
#include "common/messages.h"
#include "common/processes.h"
#include "common/units.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

// serve: makes a run for each line `run` or `run N` (of the command N) on stdin, until its end.
// Returns meter's exit code.
static int serve(struct runner *runner);

// The commands that have been read, and not been carried out yet.
struct commands {
    char text[256];
    size_t length;
};

enum command { COMMAND_RUN, COMMAND_NONE, COMMAND_UNKNOWN };

// parse_run: `run`, `run N` or, with --vary, `run N VALUE`, which sets the target. False: it
// is no such line. The line is cut into its words.
static bool parse_run(char *line, struct runner *runner)
{
    const struct settings *settings = runner->settings;
    uint64_t number = 0;
    const char *word = strsep(&line, " "), *target = strsep(&line, " "), *value = line;
    if (strcmp(word, "run") != 0 || (target != NULL && units_count(target, &number) != 0) ||
        number >= settings->target_count || (value != NULL) != (settings->vary != NULL))
        return false;
    runner->launch.target = &settings->target[number];
    if (value == NULL)
        return true;
    runner->launch.target = &runner->varied.target;
    return varied_take(&runner->varied, &settings->target[number], settings->vary, value);
}

// take_line: takes the first whole line, NONE where there is none yet.
static enum command take_line(struct commands *commands, struct runner *runner)
{
    char *end = memchr(commands->text, '\n', commands->length);
    if (end == NULL)
        return commands->length == sizeof commands->text ? COMMAND_UNKNOWN : COMMAND_NONE;
    const size_t length = (size_t)(end - commands->text);
    *end = '\0';
    const bool known = parse_run(commands->text, runner);
    commands->length -= length + 1;
    memmove(commands->text, end + 1, commands->length);
    return known ? COMMAND_RUN : COMMAND_UNKNOWN;
}

// read_more: waits for more of stdin. False at its end, or when a signal has come:
// *signal_number is that signal, or 0.
static bool read_more(struct commands *commands, const struct signals *signals, int *signal_number)
{
    struct pollfd files[] = {{.fd = signals->fd, .events = POLLIN},
                             {.fd = STDIN_FILENO, .events = POLLIN}};
    for (*signal_number = 0;;) {
        if (poll(files, 2, -1) < 0 && errno != EINTR)
            return false;
        // These may still be there from the last run.
        do
            *signal_number = signals_next(signals, NULL);
        while (*signal_number == SIGCHLD || *signal_number == SIGCONT ||
               *signal_number == SIGNAL_END_RUN);
        if (*signal_number != 0)
            return false;
        if (files[1].revents == 0)
            continue;
        const ssize_t length = read(STDIN_FILENO, commands->text + commands->length,
                                    sizeof commands->text - commands->length);
        if (length > 0)
            commands->length += (size_t)length;
        return length > 0;
    }
}

// next_command: RUN, or NONE at the end; *code is meter's exit code then.
static enum command next_command(struct commands *commands, struct runner *runner, int *code)
{
    enum command command;
    while ((command = take_line(commands, runner)) == COMMAND_NONE) {
        int signal_number;
        if (!read_more(commands, &runner->signals, &signal_number)) {
            *code = signal_number == 0 ? EXIT_RECORDED : EXIT_BY_SIGNAL + signal_number;
            return COMMAND_NONE;
        }
    }
    if (command == COMMAND_UNKNOWN) {
        complain("--serve: a line is no command: write run, or run N with the number of a command, "
                 "and with --vary a value behind it");
        *code = EXIT_WRONG_USE;
    }
    return command;
}

static int serve(struct runner *runner)
{
    static const char ready[] = "{\"event\":\"ready\"}\n";
    struct commands commands = {.length = 0};
    int code = EXIT_RECORDED;
    runner->hangup_fd = STDIN_FILENO;
    if (!file_write_all(runner->output_fd, ready, strlen(ready))) {
        complain("--output: %s", strerror(errno));
        return EXIT_LOST;
    }
    for (;;) {
        const enum command command = next_command(&commands, runner, &code);
        if (command != COMMAND_RUN)
            return code;
        code = run_once(runner);
        if (code != EXIT_RECORDED)
            return code;
        if (!run_again(runner))
            return EXIT_NOT_RUN;
    }
}

int main(int argc, char **argv)
{
    streams_open();
    const pid_t caller = getppid();
    struct settings settings;
    struct runner runner = {.group = GROUP_OF_NONE,
                            .launch = {.drain = DRAIN_OF_NONE, .captured_error_fd = -1},
                            .own_fd = -1,
                            .hangup_fd = -1};
    meter_settings_read(&settings, argc, argv);
    int code = EXIT_NOT_RUN;
    const struct keeper keeper = {.passed = &runner.signals.awaited,
                                  .name = "meter-keeper",
                                  .parent = settings.with_parent || settings.service ? caller : 0,
                                  .always = true,
                                  .tidy = accounting_sweep};
    if (signals_take(&runner.signals) && keeper_start(&keeper, &code)) {
        if (settings.service)
            code = service_run(&settings, &runner.signals);
        else if (run_begin(&runner, &settings))
            code = settings.serve ? serve(&runner) : run_once(&runner);
        run_end(&runner);
    }
    meter_settings_free(&settings);
    return code;
}

/* windows cpu|io PER_SECOND SECONDS COMMAND...: how exactly a program keeps a rate, by the
 * kernel's own figures, whatever the program is. Runs COMMAND, waits a second for it to
 * settle, then takes SECONDS windows of one second: of the CPU time of its processes (PER_SECOND
 * in CPUs) or of the bytes that they moved to and from block devices (in bytes). Ends COMMAND,
 * and prints two lines:
 *
 *     achieved R         all windows together, as a part of what was wanted
 *     window_error E     root mean square of the windows' errors, in percent of what was wanted
 *
 * Exit: 0 done, 1 COMMAND failed or moved nothing, 2 wrong use. */

#include "common/processes.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECOND_NS = 1000000000, FIRST_COMMAND = 4 };

struct wanted {
    bool io; // else CPU time
    double per_second;
    unsigned seconds;
    char **command;
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

static void sleep_until(int64_t time_ns)
{
    const struct timespec at = {time_ns / SECOND_NS, time_ns % SECOND_NS};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        continue;
}

static double moved_by(pid_t pid)
{
    char path[48], line[96];
    double bytes = 0, value;
    snprintf(path, sizeof path, "/proc/%d/io", (int)pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "read_bytes: %lf", &value) == 1 ||
            sscanf(line, "write_bytes: %lf", &value) == 1)
            bytes += value;
    if (file != NULL)
        fclose(file);
    return bytes;
}

// CPU seconds, or bytes, of all descendants so far.
static double used(const struct wanted *wanted)
{
    if (!wanted->io)
        return (double)tree_cpu_ns() / SECOND_NS;
    size_t count = 0;
    double bytes = 0;
    pid_t *list = tree_list(&count);
    for (size_t i = 0; i < count; i++)
        bytes += moved_by(list[i]);
    free(list);
    return bytes;
}

// Prints the two figures, unless COMMAND has ended by then.
static bool watch(const struct wanted *wanted, pid_t pid)
{
    int64_t at_ns = now_ns() + SECOND_NS;
    sleep_until(at_ns);
    const double first = used(wanted), first_s = (double)now_ns() / SECOND_NS;
    double last = first, last_s = first_s, squares = 0;
    for (unsigned i = 0; i < wanted->seconds; i++) {
        sleep_until(at_ns += SECOND_NS);
        const double value = used(wanted), time_s = (double)now_ns() / SECOND_NS;
        const double error = (value - last) / (time_s - last_s) / wanted->per_second - 1;
        squares += error * error;
        last = value;
        last_s = time_s;
    }
    if (waitpid(pid, NULL, WNOHANG) != 0 || last <= first)
        return false;
    return printf("achieved %.6f\nwindow_error %.5f\n",
                  (last - first) / (last_s - first_s) / wanted->per_second,
                  100 * sqrt(squares / wanted->seconds)) > 0;
}

static int measure(const struct wanted *wanted)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        return 1;
    const pid_t pid = fork();
    if (pid < 0)
        return 1;
    if (pid == 0) {
        if (prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) == 0 &&
            dup2(STDERR_FILENO, STDOUT_FILENO) == STDOUT_FILENO)
            execvp(wanted->command[0], wanted->command);
        perror(wanted->command[0]);
        _exit(127);
    }
    const bool good = watch(wanted, pid);
    tree_signal(SIGTERM);
    while (wait(NULL) > 0 || errno == EINTR)
        continue;
    if (!good)
        fprintf(stderr, "jostle: windows: %s ended too early, or did nothing\n",
                wanted->command[0]);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct wanted wanted = {.command = argv + FIRST_COMMAND};
    char *end = NULL;
    if (argc > FIRST_COMMAND) {
        wanted.io = strcmp(argv[1], "io") == 0;
        wanted.per_second = strtod(argv[2], &end);
        wanted.seconds = (unsigned)strtoul(argv[3], NULL, 10);
    }
    if (argc <= FIRST_COMMAND || (!wanted.io && strcmp(argv[1], "cpu") != 0) || *end != '\0' ||
        wanted.per_second <= 0 || wanted.seconds == 0) {
        fputs("jostle: windows: wrong use: give cpu|io PER_SECOND SECONDS COMMAND...\n", stderr);
        return 2;
    }
    return measure(&wanted);
}

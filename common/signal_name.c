#include "common/signal_name.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* glibc has sigabbrev_np() since 2.32. */
static const char *const names[] = {
    [SIGHUP] = "HUP",   [SIGINT] = "INT",       [SIGQUIT] = "QUIT", [SIGILL] = "ILL",
    [SIGTRAP] = "TRAP", [SIGABRT] = "ABRT",     [SIGBUS] = "BUS",   [SIGFPE] = "FPE",
    [SIGKILL] = "KILL", [SIGUSR1] = "USR1",     [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2",
    [SIGPIPE] = "PIPE", [SIGALRM] = "ALRM",     [SIGTERM] = "TERM", [SIGSTKFLT] = "STKFLT",
    [SIGCHLD] = "CHLD", [SIGCONT] = "CONT",     [SIGSTOP] = "STOP", [SIGTSTP] = "TSTP",
    [SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU",     [SIGURG] = "URG",   [SIGXCPU] = "XCPU",
    [SIGXFSZ] = "XFSZ", [SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF", [SIGWINCH] = "WINCH",
    [SIGPOLL] = "POLL", [SIGPWR] = "PWR",       [SIGSYS] = "SYS",
};

int signal_number(const char *text)
{
    char *end;
    const long number = strtol(text, &end, 10);
    if (end != text && *end == '\0')
        return number > 0 && number < NSIG ? (int)number : 0;
    if (strncasecmp(text, "SIG", 3) == 0)
        text += 3;
    for (int i = 1; i < (int)(sizeof names / sizeof names[0]); i++)
        if (names[i] != NULL && strcasecmp(text, names[i]) == 0)
            return i;
    return 0;
}

bool signal_check(const char *text, char *error, size_t size)
{
    if (signal_number(text) != 0)
        return true;
    snprintf(error, size, "not a signal: give one such as TERM, INT or QUIT");
    return false;
}

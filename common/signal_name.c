#include "common/signal_name.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int signal_number(const char *text)
{
    char *end;
    const long number = strtol(text, &end, 10);
    if (end != text && *end == '\0')
        return number > 0 && number < NSIG ? (int)number : 0;
    if (strncasecmp(text, "SIG", 3) == 0)
        text += 3;
    for (int i = 1; i < NSIG; i++) {
        const char *name = sigabbrev_np(i);
        if (name != NULL && strcasecmp(text, name) == 0)
            return i;
    }
    return 0;
}

bool signal_check(const char *text, char *error, size_t size)
{
    if (signal_number(text) != 0)
        return true;
    snprintf(error, size, "not a signal: give one such as TERM, INT or QUIT");
    return false;
}

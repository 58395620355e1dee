#include "output.h"

#include "common/messages.h"

#include <stdio.h>

void print_pair(const char *name, const char *value)
{
    if (value == NULL)
        return;
    fputs(name, stdout);
    putchar('\0');
    fputs(value, stdout);
    putchar('\0');
}

int print_end(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    complain("cannot write to stdout: is the disk full?");
    return 1;
}

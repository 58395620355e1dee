/* Checks that rows of several programs have. */

#include "common/option_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CORES 8192

bool option_check_assignment(const char *text, char *error, size_t size)
{
    const char *equals = strchr(text, '=');
    if (equals != NULL && equals > text)
        return true;
    snprintf(error, size, "it has no name: give a name, =, and what it stands for");
    return false;
}

/* A number of cores at *text, which is moved behind it. */
static bool skip_cores(const char **text)
{
    const size_t digits = strspn(*text, "0123456789");
    const bool good =
        digits >= 1 && digits <= 4 && **text != '0' && strtoul(*text, NULL, 10) <= MOST_CORES;
    *text += digits;
    return good;
}

bool option_check_cores(const char *text, char *error, size_t size)
{
    const char *at = text;
    bool good = skip_cores(&at);
    if (good && *at == ':') {
        at++;
        good = skip_cores(&at);
    }
    if (good && *at == '\0')
        return true;
    snprintf(error, size,
             "not a number of cores: give one such as 2, or 1:4 for the target and the loads");
    return false;
}

/* Source: proc_pid_stat(5): fields 48 and 49, arg_start and arg_end. */

#include "exec/title.h"

#include "common/file.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum { STATE = 3, ARG_START = 48 };

void title_set(const char *name)
{
    char text[2048];
    prctl(PR_SET_NAME, name);
    char *at =
        file_read(AT_FDCWD, "/proc/self/stat", text, sizeof text) ? strrchr(text, ')') : NULL;
    for (int field = STATE; at != NULL && field <= ARG_START; field++)
        at = strchr(at + 1, ' ');
    if (at == NULL)
        return;
    const uintptr_t start = strtoull(at, &at, 10), end = strtoull(at, NULL, 10);
    const size_t length = strlen(name);
    if (start == 0 || end <= start + length) /* 0: hidden from us */
        return;
    memset((char *)start, 0, end - start);
    memcpy((char *)start, name, length);
}

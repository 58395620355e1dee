#include "counter.h"

#include "common/file.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double counted_in(const char *path, const char *field)
{
    char text[1024];
    const size_t length = strlen(field);
    const char *line = file_read(AT_FDCWD, path, text, sizeof text) ? text : "";
    while (strncmp(line, field, length) != 0 || line[length] != ':') {
        line = strchr(line, '\n');
        if (line == NULL)
            return NAN;
        line++;
    }
    return strtod(line + length + 1, NULL);
}

double thread_io(pid_t thread, const char *field)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/io", thread);
    return counted_in(path, field);
}

double process_io(const char *field)
{
    return counted_in("/proc/self/io", field);
}

// What the kernel has counted for this process, or for one of its threads: /proc/self/io.

#include "load.h"

#include "common/file.h"

static double counted_in(const char *path, const char *field)
{
    char text[1024], key[32];
    uint64_t value;
    snprintf(key, sizeof key, "%s: ", field);
    return file_read(AT_FDCWD, path, text, sizeof text) && file_number(text, key, &value)
               ? (double)value
               : NAN;
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

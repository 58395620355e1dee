// Files of the kernel that say what this machine is, a value each. Every path below is taken
// under JOSTLE_KERNEL_ROOT where that is set, so that tests can make up a machine.
#ifndef COMMON_MACHINE_H
#define COMMON_MACHINE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNKNOWN (-1) // this kernel does not say

// Whether processor, firmware or device tree say that this is a virtual machine.
bool machine_is_virtual(void);

// The path under JOSTLE_KERNEL_ROOT, into a buffer of PATH_MAX; returns it.
const char *machine_path(const char *path, char buffer[PATH_MAX]);
// The first line, without its end, of the file whose path is as printf makes it. False, and "":
// there is none.
bool machine_line(char *line, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The number that begins such a file; UNKNOWN where there is none.
int64_t machine_number(const char *format, ...) __attribute__((format(printf, 1, 2)));
// What follows "NAME<separators>" on a line of a file such as /proc/meminfo.
// False, and "": no such line.
bool machine_field(const char *path, const char *name, const char *separators, char *value,
                   size_t size);
// The number that such a value begins with; UNKNOWN where there is no such line.
int64_t machine_field_number(const char *path, const char *name, const char *separators);

#endif

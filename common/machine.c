// Reads files of the kernel that hold one value, and tells from some whether this machine is a
// virtual one.
#include "common/machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *machine_path(const char *path, char buffer[PATH_MAX])
{
    const char *root = getenv("JOSTLE_KERNEL_ROOT");
    if (snprintf(buffer, PATH_MAX, "%s%s", !root ? "" : root, path) >= PATH_MAX)
        buffer[0] = '\0';
    return buffer;
}

// The first line of the file with that path.
static bool __attribute__((format(printf, 3, 0)))
read_line(char *line, size_t size, const char *format, va_list arguments)
{
    char path[PATH_MAX], whole[PATH_MAX];
    line[0] = '\0';
    const int length = vsnprintf(path, sizeof path, format, arguments);
    FILE *file = length < (int)sizeof path ? fopen(machine_path(path, whole), "re") : NULL;
    if (!file)
        return false;
    if (!fgets(line, (int)size, file))
        line[0] = '\0';
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return line[0] != '\0';
}

bool machine_line(char *line, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const bool there = read_line(line, size, format, arguments);
    va_end(arguments);
    return there;
}

int64_t machine_number(const char *format, ...)
{
    char line[64], *end;
    va_list arguments;
    va_start(arguments, format);
    const bool there = read_line(line, sizeof line, format, arguments);
    va_end(arguments);
    if (!there)
        return UNKNOWN;
    const long long value = strtoll(line, &end, 10);
    return end == line ? UNKNOWN : value;
}

bool machine_field(const char *path, const char *name, const char *separators, char *value,
                   size_t size)
{
    char whole[PATH_MAX], line[4096];
    const size_t length = strlen(name);
    bool found = false;
    value[0] = '\0';
    FILE *file = fopen(machine_path(path, whole), "re");
    if (!file)
        return false;
    while (!found && fgets(line, sizeof line, file)) {
        found = strncmp(line, name, length) == 0 && line[length] != '\0' &&
                strchr(separators, line[length]);
        if (!found)
            continue;
        const char *text = line + length + strspn(line + length, separators);
        snprintf(value, size, "%.*s", (int)strcspn(text, "\n"), text);
    }
    fclose(file);
    return found;
}

int64_t machine_field_number(const char *path, const char *name, const char *separators)
{
    char value[64];
    return machine_field(path, name, separators, value, sizeof value) ? strtoll(value, NULL, 10)
                                                                      : UNKNOWN;
}

// Whether the text has one of the words.
static bool names_one_of(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcasestr(text, words[i]))
            return true;
    return false;
}

// What the firmware says of the machine; a cloud's bare metal says so.
static bool firmware_is_virtual(void)
{
    static const char *const files[] = {"/sys/class/dmi/id/sys_vendor",
                                        "/sys/class/dmi/id/product_name",
                                        "/sys/class/dmi/id/board_vendor"};
    static const char *const makers[] = {
        "QEMU",  "KVM",         "VMware",    "VirtualBox",      "Xen",
        "bhyve", "Parallels",   "OpenStack", "Virtual Machine", "Google Compute Engine",
        "oVirt", "Firecracker", "Amazon EC2"};
    char text[256], product[256];
    if (machine_line(product, sizeof product, "%s", files[1]) && strstr(product, ".metal"))
        return false;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (machine_line(text, sizeof text, "%s", files[i]) &&
            names_one_of(text, makers, sizeof makers / sizeof makers[0]))
            return true;
    return false;
}

// The device tree of machines without such firmware (Arm, POWER, RISC-V).
static bool tree_is_virtual(void)
{
    static const char *const boards[] = {"dummy-virt", "qemu", "xen", "firecracker"};
    char text[256];
    return machine_line(text, sizeof text, "/proc/device-tree/hypervisor/compatible") ||
           (machine_line(text, sizeof text, "/proc/device-tree/compatible") &&
            names_one_of(text, boards, sizeof boards / sizeof boards[0]));
}

bool machine_is_virtual(void)
{
    char flags[4096], type[64];
    return (machine_field("/proc/cpuinfo", "flags", ": \t", flags, sizeof flags) &&
            strstr(flags, "hypervisor")) ||
           machine_line(type, sizeof type, "/sys/hypervisor/type") || firmware_is_virtual() ||
           tree_is_virtual();
}

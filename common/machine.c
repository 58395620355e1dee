#include "common/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *machine_path(const char *path, char buffer[PATH_MAX])
{
    const char *root = getenv("JOSTLE_KERNEL_ROOT");
    if (snprintf(buffer, PATH_MAX, "%s%s", root == NULL ? "" : root, path) >= PATH_MAX)
        buffer[0] = '\0';
    return buffer;
}

bool machine_line(const char *path, char *line, size_t size)
{
    char whole[PATH_MAX];
    line[0] = '\0';
    FILE *file = fopen(machine_path(path, whole), "re");
    if (file == NULL)
        return false;
    if (fgets(line, (int)size, file) == NULL)
        line[0] = '\0';
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return line[0] != '\0';
}

int64_t machine_number(const char *path)
{
    char line[64], *end;
    if (!machine_line(path, line, sizeof line))
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
    if (file == NULL)
        return false;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        found = strncmp(line, name, length) == 0 && line[length] != '\0' &&
                strchr(separators, line[length]) != NULL;
        if (!found)
            continue;
        const char *text = line + length + strspn(line + length, separators);
        snprintf(value, size, "%.*s", (int)strcspn(text, "\n"), text);
    }
    fclose(file);
    return found;
}

/* Whether the text has one of the words. */
static bool names_one_of(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcasestr(text, words[i]) != NULL)
            return true;
    return false;
}

/* What the firmware says of the machine; a cloud's bare metal says so. */
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
    if (machine_line(files[1], product, sizeof product) && strstr(product, ".metal") != NULL)
        return false;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (machine_line(files[i], text, sizeof text) &&
            names_one_of(text, makers, sizeof makers / sizeof makers[0]))
            return true;
    return false;
}

/* The device tree of machines without such firmware (Arm, POWER, RISC-V). */
static bool tree_is_virtual(void)
{
    static const char *const boards[] = {"dummy-virt", "qemu", "xen", "firecracker"};
    char text[256];
    return machine_line("/proc/device-tree/hypervisor/compatible", text, sizeof text) ||
           (machine_line("/proc/device-tree/compatible", text, sizeof text) &&
            names_one_of(text, boards, sizeof boards / sizeof boards[0]));
}

bool machine_is_virtual(void)
{
    char flags[4096], type[64];
    return (machine_field("/proc/cpuinfo", "flags", ": \t", flags, sizeof flags) &&
            strstr(flags, "hypervisor") != NULL) ||
           machine_line("/sys/hypervisor/type", type, sizeof type) || firmware_is_virtual() ||
           tree_is_virtual();
}

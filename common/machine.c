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

bool machine_is_virtual(void)
{
    char flags[4096];
    return machine_field("/proc/cpuinfo", "flags", ": \t", flags, sizeof flags) &&
           strstr(flags, "hypervisor") != NULL;
}

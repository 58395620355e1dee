/* What this machine is, noted once for each experiment. */

#include "common/cpus.h"
#include "common/machine.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static void read_system(struct environment *environment)
{
    struct utsname names;
    if (uname(&names) != 0)
        return;
    snprintf(environment->host, sizeof environment->host, "%s", names.nodename);
    snprintf(environment->kernel, sizeof environment->kernel, "%s %s", names.sysname,
             names.release);
    snprintf(environment->architecture, sizeof environment->architecture, "%s", names.machine);
}

static void read_os(struct environment *environment)
{
    char *name = environment->os;
    if (!machine_field("/etc/os-release", "PRETTY_NAME", "=", name, sizeof environment->os) ||
        name[0] != '"')
        return;
    memmove(name, name + 1, strlen(name));
    name[strcspn(name, "\"")] = '\0';
}

static void read_cpus(struct environment *environment)
{
    char flags[4096];
    struct cpu_list allowed;
    environment->cpus_online = (int)sysconf(_SC_NPROCESSORS_ONLN);
    machine_field("/proc/cpuinfo", "model name", ": \t", environment->cpu, sizeof environment->cpu);
    if (!machine_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
                      environment->governor, sizeof environment->governor))
        snprintf(environment->governor, sizeof environment->governor, "unknown");
    environment->virtual_machine =
        machine_field("/proc/cpuinfo", "flags", ": \t", flags, sizeof flags) &&
        strstr(flags, "hypervisor") != NULL;
    if (cpus_allowed(&allowed) == 0)
        cpus_format(&allowed, environment->cpus_allowed, sizeof environment->cpus_allowed);
}

static void read_memory(struct environment *environment)
{
    char value[64];
    environment->memory_bytes =
        machine_field("/proc/meminfo", "MemTotal", ": ", value, sizeof value)
            ? strtoll(value, NULL, 10) * 1024
            : UNKNOWN;
}

/* mountinfo writes blanks in paths as \040. */
static void unescape(char *text)
{
    char *out = text;
    unsigned code;
    for (; *text != '\0'; text++) {
        if (text[0] == '\\' && sscanf(text + 1, "%3o", &code) == 1) {
            *out++ = (char)code;
            text += 3;
        } else {
            *out++ = *text;
        }
    }
    *out = '\0';
}

/* "ID PARENT MAJ:MIN ROOT POINT OPTIONS [FIELDS...] - TYPE SOURCE SUPER" */
static void read_mount(struct environment *environment, uint64_t id)
{
    char *line = NULL;
    size_t size = 0;
    FILE *file = fopen("/proc/self/mountinfo", "re");
    if (file == NULL)
        return;
    while (getline(&line, &size, file) > 0) {
        const char *tail = strstr(line, " - ");
        if (tail == NULL || strtoull(line, NULL, 10) != id)
            continue;
        if (sscanf(tail, " - %63s %4095s", environment->file_system, environment->device) == 2)
            unescape(environment->device);
        break;
    }
    free(line);
    fclose(file);
}

void environment_read_folder(struct environment *environment)
{
    struct statx status;
    environment->file_system[0] = environment->device[0] = '\0';
    if (getcwd(environment->folder, sizeof environment->folder) == NULL)
        environment->folder[0] = '\0';
    if (statx(AT_FDCWD, ".", 0, STATX_MNT_ID, &status) == 0 &&
        (status.stx_mask & STATX_MNT_ID) != 0)
        read_mount(environment, status.stx_mnt_id);
}

void environment_read(struct environment *environment)
{
    *environment = (struct environment){.memory_bytes = UNKNOWN};
    read_system(environment);
    read_os(environment);
    read_cpus(environment);
    read_memory(environment);
    machine_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                 environment->clocksource, sizeof environment->clocksource);
    environment_read_folder(environment);
}

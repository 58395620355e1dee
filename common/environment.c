/* What this machine is, noted once for each experiment. */

#include "common/core_kinds.h"
#include "common/cpus.h"
#include "common/device.h"
#include "common/facts.h"
#include "common/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* "model name", or where there is none, as on Arm, the names of the cores, each once. */
static void read_processor(char *text, size_t size)
{
    size_t used = 0;
    if (machine_field("/proc/cpuinfo", "model name", ": \t", text, size))
        return;
    struct core_kinds *kinds = core_kinds_read();
    for (unsigned i = 0; kinds != NULL && i < kinds->count && used < size; i++)
        if (strstr(text, kinds->kind[i].name) == NULL)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used == 0 ? "" : " + ",
                                     kinds->kind[i].name);
    free(kinds);
}

static void read_cpus(struct environment *environment)
{
    struct cpu_list allowed;
    environment->cpus_online = (int)sysconf(_SC_NPROCESSORS_ONLN);
    read_processor(environment->cpu, sizeof environment->cpu);
    if (!fact_read(FACT_GOVERNOR, environment->governor, sizeof environment->governor))
        snprintf(environment->governor, sizeof environment->governor, "unknown");
    environment->virtual_machine = machine_is_virtual();
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

static void read_folder(struct environment *environment)
{
    struct device device;
    if (getcwd(environment->folder, sizeof environment->folder) == NULL)
        environment->folder[0] = '\0';
    if (!device_of(".", &device))
        return;
    snprintf(environment->file_system, sizeof environment->file_system, "%s", device.file_system);
    snprintf(environment->device, sizeof environment->device, "%s", device.name);
}

void environment_read(struct environment *environment)
{
    *environment = (struct environment){.memory_bytes = UNKNOWN};
    read_system(environment);
    read_os(environment);
    read_cpus(environment);
    read_memory(environment);
    (void)fact_read(FACT_CLOCKSOURCE, environment->clocksource, sizeof environment->clocksource);
    read_folder(environment);
}

#include "system.h"

#include "clock.h"
#include "file.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

// A pressure file has a line "some ... total=N" and mostly one "full ... total=N".
static bool read_pressure(const char *path, uint64_t *some_us, uint64_t *full_us)
{
    char text[512];
    if (!file_read(AT_FDCWD, path, text, sizeof text))
        return false;
    if (!file_number(text, "total=", some_us))
        return false;
    const char *full = strstr(text, "full ");
    if (full_us != NULL && full != NULL)
        return file_number(full, "total=", full_us);
    return true;
}

// The first line of /proc/stat: "cpu  user nice system idle iowait irq softirq
// steal ...", in clock ticks of all CPUs together.
static uint64_t read_steal_ns(void)
{
    char text[512];
    uint64_t ticks = 0;
    const long ticks_per_s = sysconf(_SC_CLK_TCK);
    if (ticks_per_s <= 0 || !file_read(AT_FDCWD, "/proc/stat", text, sizeof text))
        return 0;
    const char *field = strchr(text, ' ');
    for (int skipped = 0; field != NULL && skipped < 7; skipped++) {
        field += strspn(field, " ");
        field = strchr(field, ' ');
    }
    if (field == NULL || !file_number(field, " ", &ticks))
        return 0;
    return ticks * (uint64_t)(NS_PER_S / ticks_per_s);
}

void system_read(struct system_totals *totals)
{
    *totals = (struct system_totals){0};
    totals->has_pressure =
        read_pressure("/proc/pressure/cpu", &totals->cpu_some_us, NULL) &&
        read_pressure("/proc/pressure/memory", &totals->memory_some_us, &totals->memory_full_us) &&
        read_pressure("/proc/pressure/io", &totals->io_some_us, &totals->io_full_us);
    totals->steal_ns = read_steal_ns();
}

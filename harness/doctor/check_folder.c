/* What the current folder is on. */

#include "checks.h"

#include "common/device.h"

#include <string.h>
#include <sys/statvfs.h>

#define GIB              1073741824.0
#define LEAST_FREE_BYTES GIB

void check_folder(struct findings *findings)
{
    struct device device;
    if (!device_of(".", &device) || device.file_system[0] == '\0' ||
        strcmp(device.file_system, "unknown") == 0)
        findings_add(findings, "folder", STATUS_UNKNOWN, NULL,
                     "the file system of the current folder is not known");
    else if (device.memory)
        findings_add(findings, "folder", STATUS_WARN, "measure in a folder on a disk",
                     "the current folder is in memory (%s): what the target reads and writes "
                     "never reaches a disk",
                     device.file_system);
    else if (device.network || strncmp(device.file_system, "fuse", 4) == 0)
        findings_add(findings, "folder", STATUS_WARN, "measure in a folder on a local disk",
                     "the current folder is on a network or user-space file system (%s): others' "
                     "traffic is in the result",
                     device.file_system);
    else
        findings_add(findings, "folder", STATUS_OK, NULL, "the current folder is on %s",
                     device.file_system);
}

/* A nearly full file system scatters what is written to it. */
void check_space(struct findings *findings)
{
    struct statvfs status;
    if (statvfs(".", &status) != 0 || status.f_blocks == 0) {
        findings_add(findings, "disk-space", STATUS_UNKNOWN, NULL,
                     "how much is free is not shown here");
        return;
    }
    const double free_bytes = (double)status.f_bavail * (double)status.f_frsize;
    const double size_bytes = (double)status.f_blocks * (double)status.f_frsize;
    if (free_bytes < LEAST_FREE_BYTES || free_bytes * 20 < size_bytes)
        findings_add(findings, "disk-space", STATUS_WARN, "free some",
                     "%.2f GiB are free: writes are scattered, and loads may not fit",
                     free_bytes / GIB);
    else
        findings_add(findings, "disk-space", STATUS_OK, NULL, "%.2f GiB are free",
                     free_bytes / GIB);
}

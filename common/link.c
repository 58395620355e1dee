#include "common/link.h"

#include "common/machine.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bits of data per bit on the wire. PCI Express Base Specification 6.0, 4.2: 8b/10b up to
 * 5 GT/s, 128b/130b up to 32 GT/s, then flits with 236 bytes of packets in 256. */
static const struct {
    double up_to_gt;
    const char *name;
    double share;
} codes[] = {{5, "8b/10b", 0.8}, {32, "128b/130b", 128.0 / 130}, {64, "flits", 236.0 / 256}};

static void not_known(struct link_speed *link, const char *why, const char *disk)
{
    link->bytes_per_s = NAN;
    snprintf(link->source, sizeof link->source, "%s (%.60s)", why, disk);
}

/* The number at the start of a file of sysfs; 0: there is none. */
static double number_in(const char *path)
{
    char line[64];

    return machine_line(path, line, sizeof line) ? strtod(line, NULL) : 0;
}

/* NVMe: block device, controller, PCI device. */
static bool pcie_speed(const char *disk, struct link_speed *link)
{
    char path[PATH_MAX];
    double speed_gt, width;

    snprintf(path, sizeof path, "/sys/class/block/%s/device/device/current_link_speed", disk);
    speed_gt = number_in(path);
    snprintf(path, sizeof path, "/sys/class/block/%s/device/device/current_link_width", disk);
    width = number_in(path);
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (speed_gt <= 0 || width <= 0 || speed_gt > codes[i].up_to_gt)
            continue;
        link->bytes_per_s = speed_gt * 1e9 * width * codes[i].share / 8;
        snprintf(link->source, sizeof link->source, "PCIe %.1f GT/s x%.0f, %s (%.60s)", speed_gt,
                 width, codes[i].name, disk);
        return true;
    }
    return false;
}

/* ATA: the port is a folder on the disk's path, .../ata3/host2/..., and its link's speed
 * that of the port's number ("6.0 Gbps"; Serial ATA has 8b/10b at each of its speeds). */
static bool sata_speed(const char *disk, struct link_speed *link)
{
    char path[PATH_MAX], under[PATH_MAX], real[PATH_MAX];
    const char *port;
    double speed_gbit;

    snprintf(path, sizeof path, "/sys/class/block/%s", disk);
    if (realpath(machine_path(path, under), real) == NULL || (port = strstr(real, "/ata")) == NULL)
        return false;
    snprintf(path, sizeof path, "/sys/class/ata_link/link%d/sata_spd",
             (int)strtol(port + 4, NULL, 10));
    speed_gbit = number_in(path);
    if (speed_gbit <= 0)
        return false;
    link->bytes_per_s = speed_gbit * 1e9 * 0.8 / 8;
    snprintf(link->source, sizeof link->source, "SATA %.1f Gbit/s, 8b/10b (%.60s)", speed_gbit,
             disk);
    return true;
}

void link_speed_of(const struct device *device, struct link_speed *link)
{
    const char *disks = device->disks;

    if (disks[0] == '\0')
        not_known(link, "no disk is known", device->name);
    else if (device->virtual_disk)
        not_known(link, "a virtual disk: what is behind it is the host's", disks);
    else if (strchr(disks, ',') != NULL)
        not_known(link, "several disks", disks);
    else if (!pcie_speed(disks, link) && !sata_speed(disks, link))
        not_known(link, "neither a PCIe nor a SATA link in sysfs", disks);
}

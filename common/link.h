#ifndef COMMON_LINK_H
#define COMMON_LINK_H

/* How fast the link to a disk is: what no transfer that reaches the disk can exceed. */

#include "common/device.h"

struct link_speed {
    double bytes_per_s; /* of data, after the line code; NAN: not known */
    char source[192];   /* where it is from: "PCIe 16.0 GT/s x4, 128b/130b (nvme0n1)"; or the
                           reason why it is not known: "a virtual disk (vda): ..." */
};

/* Of the one disk that device is on, by sysfs: PCIe for NVMe, SATA for ATA. That of a virtual
 * disk, of several disks and of other kinds is not known. */
void link_speed_of(const struct device *device, struct link_speed *link);

#endif

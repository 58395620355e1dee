#ifndef COMMON_DEVICE_H
#define COMMON_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Which device a folder is on, through partitions, LVM, RAID, loop devices and
// overlays where the kernel shows them; and what the kernel counted there.

struct device {
    char file_system[32]; // "ext4", "overlay on ext4", "tmpfs"; "unknown"
    char name[128];       // the block device the file system is on: "vda1"; "" unknown
    char disks[256];      // the whole disks below it: "vda", "sda,sdb"; "" unknown
    char counter[64];     // the device whose counters are read; "" none
    char identity[256];   // what the device stays known by, whatever its name; "" unknown
    unsigned block_bytes; // its logical block; 0 unknown
    bool unknown;         // neither its file system nor its device can be found out
    bool hidden;          // an overlay on what cannot be seen from here
    bool memory;          // backed by memory: tmpfs, ramfs, zram, a loop device on tmpfs
    bool network;         // a network file system, or a disk behind a network
    bool copy_on_write;   // an overwrite goes elsewhere: btrfs, zfs, bcachefs
    bool virtual_disk;    // inside a virtual machine: a host may cache behind it
};

// What was done since boot, by a device or by a process.
struct device_counters {
    uint64_t read_ops, read_bytes;
    uint64_t write_ops, write_bytes;
};

// Finds out about the file or folder `path`. What cannot be resolved is left empty;
// false, with errno: there is no such path.
bool device_of(const char *path, struct device *device);

// The counters of the device (/sys/dev/block/.../stat, sectors of 512 bytes).
// False where there are none: network, memory, not resolved.
bool device_count(const struct device *device, struct device_counters *counters);

// How fast the link to a disk is: what no transfer that reaches the disk can exceed.

struct link_speed {
    double bytes_per_s; // of data, after the line code; NAN: not known
    char source[192];   // where it is from: "PCIe 16.0 GT/s x4, 128b/130b (nvme0n1)"; or the
                        // reason why it is not known: "a virtual disk (vda): ..."
};

// Finds the link of the one disk that the device is on, by sysfs: PCIe for NVMe, SATA for ATA. That
// of a virtual disk, of several disks and of other kinds is not known.
void link_speed_of(const struct device *device, struct link_speed *link);

#endif

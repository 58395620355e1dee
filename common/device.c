// Finds the device that a folder is on, and reads what the kernel counts there.
#include "device.h"

#include <ctype.h>
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "file.h"
#include "machine.h"
#include "mount.h"
#include "text.h"

enum { DEEPEST = 12 }; // overlays on loops on LVM ...: an end to recursion

static const char *const memory_systems[] = {"tmpfs",     "ramfs",  "devtmpfs",
                                             "hugetlbfs", "rootfs", NULL};
static const char *const network_systems[] = {
    "nfs",       "nfs4",      "cifs",       "smb3",
    "ceph",      "lustre",    "beegfs",     "gpfs",
    "9p",        "afs",       "virtiofs",   "ocfs2",
    "gfs2",      "orangefs",  "fuse.sshfs", "fuse.glusterfs",
    "fuse.ceph", "fuse.s3fs", "coda",       "ncpfs",
    NULL};
static const char *const copying_systems[] = {"btrfs", "zfs", "bcachefs", "nilfs2", "f2fs", NULL};
// Block devices by the start of their names.
static const char *const memory_disks[] = {"ram", "zram"};
static const char *const network_disks[] = {"nbd", "rbd", "drbd", "etherd"};

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

// "zram0" begins with "zram" and continues with a digit; "rama" does not.
static bool is_disk_of(const char *name, const char *const *prefixes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(prefixes[i]);

        if (strncmp(name, prefixes[i], length) == 0 && name[length] >= '0' && name[length] <= '9')
            return true;
    }
    return false;
}

static void add_name(char *list, size_t size, const char *name)
{
    size_t length = strlen(list), name_length = strlen(name);
    for (const char *at = list; *at != '\0'; at += *at == ',') {
        size_t span = strcspn(at, ",");

        if (span == name_length && strncmp(at, name, span) == 0)
            return;
        at += span;
    }
    snprintf(list + length, size - length, "%s%s", length > 0 ? "," : "", name);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// FOLDER/NAME; false where that is too long for a path.
static bool join(char path[PATH_MAX], const char *folder, const char *name)
{
    int length = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return length > 0 && length < PATH_MAX;
}

// ---- what a block device, and a file system, say of themselves

// <linux/fs.h> of Linux 6.9
struct file_system_uuid {
    uint8_t length;
    uint8_t uuid[16];
};
#ifndef FS_IOC_GETFSUUID
#define FS_IOC_GETFSUUID _IOR(0x15, 0, struct file_system_uuid)
#endif

// The first line of FOLDER/NAME without blanks at either end. False: there is none.
static bool read_word(const char *folder, const char *name, char *text, size_t size)
{
    char line[256];
    if (!file_read_in(folder, name, line, sizeof line))
        return false;
    line[strcspn(line, "\n")] = '\0';
    const char *begin = line + strspn(line, " \t");
    size_t length = strlen(begin);
    while (length > 0 && isspace((unsigned char)begin[length - 1]))
        length--;
    snprintf(text, size, "%.*s", (int)length, begin);
    return length > 0;
}

// What a block device is known by on every machine and after every boot, by its folder in /sys:
// "serial S3Z9NB0K", "wwid eui.0025385b21404321", "uuid LVM-..." (device mapper, RAID), with the
// partition's number. "": it says nothing of the kind.
static void disk_identity(const char *folder, char *text, size_t size)
{
    static const struct {
        const char *name, *file;
    } sources[] = {{"wwid", "wwid"},     {"wwid", "device/wwid"},
                   {"serial", "serial"}, {"serial", "device/serial"},
                   {"uuid", "dm/uuid"},  {"uuid", "md/uuid"}};
    char disk[PATH_MAX], value[128], part[32] = "";
    snprintf(disk, sizeof disk, "%s", folder);
    if (read_word(folder, "partition", part, sizeof part))
        *strrchr(disk, '/') = '\0';
    text[0] = '\0';
    for (size_t i = 0; i < LENGTH(sources) && text[0] == '\0'; i++)
        if (read_word(disk, sources[i].file, value, sizeof value))
            snprintf(text, size, "%s %s%s%s", sources[i].name, value,
                     part[0] != '\0' ? " partition " : "", part);
}

// Whether the link FOLDER/NAME ends in one of these.
static bool links_to(const char *folder, const char *name, const char *const *ends)
{
    char path[PATH_MAX], target[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return false;
    const ssize_t length = readlink(path, target, sizeof target - 1);
    target[length < 0 ? 0 : length] = '\0';
    const char *slash = strrchr(target, '/');
    return slash && text_is_among(slash + 1, ends);
}

// Whether a host makes a disk up for a virtual machine, by its driver, or by its vendor and model.
static bool disk_is_virtual(const char *folder)
{
    static const char *const drivers[] = {"virtio_blk", "vbd", "xen-blkfront", "hv_storvsc", NULL};
    static const char *const makers[] = {"QEMU",   "VMware", "VBOX", "Msft",
                                         "Google", "VIRTIO", "Xen",  "Amazon Elastic"};
    static const char *const files[] = {"device/vendor", "device/model"};
    char text[128];
    if (links_to(folder, "device/driver", drivers))
        return true;
    for (size_t i = 0; i < LENGTH(files); i++) {
        if (!read_word(folder, files[i], text, sizeof text))
            continue;
        for (size_t j = 0; j < LENGTH(makers); j++)
            if (strncasecmp(text, makers[j], strlen(makers[j])) == 0)
                return true;
    }
    return false;
}

// By the ioctl of newer kernels; it needs no right but to open the folder. An image may have
// been made without one: then it is 0.
static bool ask_uuid(const char *path, uint8_t uuid[16])
{
    static const uint8_t none[16];
    struct file_system_uuid answer = {0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    const bool known = ioctl(fd, FS_IOC_GETFSUUID, &answer) == 0 && answer.length == 16;
    close(fd);
    memcpy(uuid, answer.uuid, sizeof answer.uuid);
    return known && memcmp(uuid, none, sizeof none) != 0;
}

// What the file system itself is known by, without any right: a number that stays the same as long
// as it exists ("file system 0123456789abcdef"). False: this kernel, or this kind of file system,
// has none.
static bool disk_file_system_identity(const char *path, const char *type, char *text, size_t size)
{
    struct statfs status;
    uint8_t uuid[16];
    uint64_t number = 0;
    text[0] = '\0';
    if (ask_uuid(path, uuid)) {
        int used = snprintf(text, size, "file system ");
        for (size_t i = 0; i < sizeof uuid && used + 2 < (int)size; i++)
            used += snprintf(text + used, size - (size_t)used, "%02x", uuid[i]);
        return true;
    }
    // These make f_fsid of their UUID; that of others is a device number.
    if ((strcmp(type, "ext4") != 0 && strcmp(type, "btrfs") != 0) || statfs(path, &status) != 0)
        return false;
    memcpy(&number, &status.f_fsid, sizeof number);
    if (number != 0)
        snprintf(text, size, "file system %016llx", (unsigned long long)number);
    return number != 0;
}

// ---- from a path to its disks

static void resolve(const char *path, struct device *device, int depth);

static bool is_remote(const char *folder, const char *name)
{
    char transport[32];
    if (is_disk_of(name, network_disks, LENGTH(network_disks)) || strstr(folder, "/session"))
        return true; // an iSCSI disk hangs below .../sessionN/targetN
    return read_word(folder, "../transport", transport, sizeof transport) &&
           (strcmp(transport, "tcp") == 0 || strcmp(transport, "rdma") == 0 ||
            strcmp(transport, "fc") == 0);
}

static void whole_disk(const char *folder, const char *name, struct device *device, int depth)
{
    char backing[PATH_MAX];
    struct device below = {0};
    device->memory |= is_disk_of(name, memory_disks, LENGTH(memory_disks));
    device->network |= is_remote(folder, name);
    device->virtual_disk |= disk_is_virtual(folder);
    if (depth >= DEEPEST || !read_word(folder, "loop/backing_file", backing, sizeof backing)) {
        add_name(device->disks, sizeof device->disks, name);
        return;
    }
    // A loop device has counters of its own: they stay the ones to compare with,
    // for what is below it may well be the page cache.
    resolve(backing, &below, depth + 1);
    device->memory |= below.memory;
    device->network |= below.network;
    device->virtual_disk |= below.virtual_disk;
    add_name(device->disks, sizeof device->disks, below.disks[0] != '\0' ? below.disks : name);
}

// Walk down from a folder of /sys to the whole disks. Where the way down is not
// one device to one device (RAID, stripes), counters are read above the fork:
// mirrors would count twice below it.
static void descend(const char *folder, struct device *device, bool counting, int depth)
{
    char real[PATH_MAX], path[PATH_MAX];
    glob_t slaves;
    if (depth > DEEPEST || !realpath(folder, real))
        return;
    if (join(path, real, "partition") && access(path, F_OK) == 0)
        *strrchr(real, '/') = '\0';
    if (counting)
        snprintf(device->counter, sizeof device->counter, "%.63s", base_name(real));
    if (!join(path, real, "slaves/*") || glob(path, 0, NULL, &slaves) != 0) {
        whole_disk(real, base_name(real), device, depth);
        return;
    }
    for (size_t i = 0; i < slaves.gl_pathc; i++)
        descend(slaves.gl_pathv[i], device, counting && slaves.gl_pathc == 1, depth + 1);
    globfree(&slaves);
}

static unsigned logical_block(const char *counter)
{
    const int64_t bytes = machine_number("/sys/class/block/%s/queue/logical_block_size", counter);
    return bytes > 0 && bytes <= 1 << 20 ? (unsigned)bytes : 0;
}

// The number of the block device: the file's own, or (btrfs and others have an
// anonymous one) that of the mount's source.
static dev_t block_number(const char *path, const struct mount *mount)
{
    struct stat status;
    if (stat(path, &status) == 0 && major(status.st_dev) != 0)
        return status.st_dev;
    if (mount->source[0] == '/' && stat(mount->source, &status) == 0 && S_ISBLK(status.st_mode))
        return status.st_rdev;
    return 0;
}

// /dev/root and other aliases are named by what /sys calls them.
static void resolve_block(dev_t number, struct device *device, int depth)
{
    char folder[64], whole[PATH_MAX], real[PATH_MAX];
    snprintf(folder, sizeof folder, "/sys/dev/block/%u:%u", major(number), minor(number));
    if (!realpath(machine_path(folder, whole), real))
        return;
    snprintf(device->name, sizeof device->name, "%.127s", base_name(real));
    disk_identity(real, device->identity, sizeof device->identity);
    descend(real, device, true, depth);
    device->block_bytes = logical_block(device->counter);
}

// A file system's own number in addition to the disk's: clones of one image have the same
// one, and one disk may have several file systems.
static void add_identity(const char *path, const char *type, struct device *device)
{
    char text[64];
    const size_t used = strlen(device->identity);
    if (disk_file_system_identity(path, type, text, sizeof text))
        snprintf(device->identity + used, sizeof device->identity - used, "%s%s",
                 used > 0 ? ", " : "", text);
}

static void resolve(const char *path, struct device *device, int depth)
{
    struct mount mount;
    (void)mount_of(path, &mount);
    if (strcmp(mount.type, "overlay") == 0 && mount.upper[0] != '\0' && depth < DEEPEST &&
        access(mount.upper, F_OK) == 0) {
        char below[sizeof device->file_system];

        resolve(mount.upper, device, depth + 1);
        snprintf(below, sizeof below, "%s", device->file_system);
        snprintf(device->file_system, sizeof device->file_system, "overlay on %.20s", below);
        return;
    }
    // In a container its folders are elsewhere: it may be on anything.
    device->hidden |= strcmp(mount.type, "overlay") == 0;
    snprintf(device->file_system, sizeof device->file_system, "%s", mount.type);
    device->memory |= text_is_among(mount.type, memory_systems);
    device->network |= text_is_among(mount.type, network_systems);
    device->copy_on_write |= text_is_among(mount.type, copying_systems);
    const dev_t number = block_number(path, &mount);
    if (number != 0) {
        resolve_block(number, device, depth);
        add_identity(path, mount.type, device);
    } else if (mount.source[0] != '\0' && !device->memory) {
        snprintf(device->name, sizeof device->name, "%.127s", mount.source);
    }
    device->unknown |= number == 0 && strcmp(mount.type, MOUNT_UNKNOWN) == 0;
}

bool device_of(const char *path, struct device *device)
{
    struct stat status;
    *device = (struct device){0};
    if (stat(path, &status) != 0)
        return false;
    resolve(path, device, 0);
    device->virtual_disk |= device->disks[0] != '\0' && machine_is_virtual();
    return true;
}

bool device_count(const struct device *device, struct device_counters *counters)
{
    // Documentation/block/stat.rst: reads, merged, sectors, ms, writes, merged, sectors, and more,
    // which older kernels lack.
    unsigned long long v[7] = {0};
    char line[512], *at = line, *end;
    int count = 0;
    if (device->counter[0] == '\0')
        return false;
    if (!machine_line(line, sizeof line, "/sys/class/block/%s/stat", device->counter))
        return false;
    for (; count < 7; count++, at = end) {
        v[count] = strtoull(at, &end, 10);
        if (end == at)
            break;
    }
    *counters = (struct device_counters){
        .read_ops = v[0], .read_bytes = v[2] * 512, .write_ops = v[4], .write_bytes = v[6] * 512};
    return count >= 7;
}

// Bits of data per bit on the wire. PCI Express Base Specification 6.0, 4.2: 8b/10b up to
// 5 GT/s, 128b/130b up to 32 GT/s, then flits with 236 bytes of packets in 256.
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

// NVMe: block device, controller, PCI device.
#define LINK "/sys/class/block/%s/device/device/"

static bool pcie_speed(const char *disk, struct link_speed *link)
{
    char speed[64], lanes[64];
    (void)machine_line(speed, sizeof speed, LINK "current_link_speed", disk);
    (void)machine_line(lanes, sizeof lanes, LINK "current_link_width", disk);
    const double speed_gt = strtod(speed, NULL), width = strtod(lanes, NULL);
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

// ATA: the port is a folder on the disk's path, .../ata3/host2/..., and its link's speed
// that of the port's number ("6.0 Gbps"; Serial ATA has 8b/10b at each of its speeds).
static bool sata_speed(const char *disk, struct link_speed *link)
{
    char path[PATH_MAX], under[PATH_MAX], real[PATH_MAX], speed[64];
    const char *port;
    snprintf(path, sizeof path, "/sys/class/block/%s", disk);
    if (!realpath(machine_path(path, under), real) || (port = strstr(real, "/ata")) == NULL)
        return false;
    (void)machine_line(speed, sizeof speed, "/sys/class/ata_link/link%d/sata_spd",
                       (int)strtol(port + 4, NULL, 10));
    const double speed_gbit = strtod(speed, NULL);
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
    else if (strchr(disks, ','))
        not_known(link, "several disks", disks);
    else if (!pcie_speed(disks, link) && !sata_speed(disks, link))
        not_known(link, "neither a PCIe nor a SATA link in sysfs", disks);
}

#include "common/disk.h"

#include "common/file.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

/* <linux/fs.h> of Linux 6.9 */
struct file_system_uuid {
    uint8_t length;
    uint8_t uuid[16];
};
#ifndef FS_IOC_GETFSUUID
#define FS_IOC_GETFSUUID _IOR(0x15, 0, struct file_system_uuid)
#endif

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

/* The first line of FOLDER/NAME without blanks at either end. False: there is none. */
static bool read_word(const char *folder, const char *name, char *text, size_t size)
{
    char path[PATH_MAX], line[256];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path ||
        !file_read(AT_FDCWD, path, line, sizeof line))
        return false;
    line[strcspn(line, "\n")] = '\0';
    const char *begin = line + strspn(line, " \t");
    size_t length = strlen(begin);
    while (length > 0 && isspace((unsigned char)begin[length - 1]))
        length--;
    snprintf(text, size, "%.*s", (int)length, begin);
    return length > 0;
}

bool disk_identity(const char *folder, char *text, size_t size)
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
    return text[0] != '\0';
}

/* Whether the link FOLDER/NAME ends in one of these. */
static bool links_to(const char *folder, const char *name, const char *const *ends, size_t count)
{
    char path[PATH_MAX], target[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return false;
    const ssize_t length = readlink(path, target, sizeof target - 1);
    target[length < 0 ? 0 : length] = '\0';
    const char *slash = strrchr(target, '/');
    for (size_t i = 0; i < count && slash != NULL; i++)
        if (strcmp(slash + 1, ends[i]) == 0)
            return true;
    return false;
}

bool disk_is_virtual(const char *folder)
{
    static const char *const drivers[] = {"virtio_blk", "vbd", "xen-blkfront", "hv_storvsc"};
    static const char *const makers[] = {"QEMU",   "VMware", "VBOX", "Msft",
                                         "Google", "VIRTIO", "Xen",  "Amazon Elastic"};
    static const char *const files[] = {"device/vendor", "device/model"};
    char text[128];
    if (links_to(folder, "device/driver", drivers, LENGTH(drivers)))
        return true;
    for (size_t i = 0; i < LENGTH(files); i++)
        for (size_t j = 0; read_word(folder, files[i], text, sizeof text) && j < LENGTH(makers);
             j++)
            if (strncasecmp(text, makers[j], strlen(makers[j])) == 0)
                return true;
    return false;
}

/* By the ioctl of newer kernels; it needs no right but to open the folder. An image may have
 * been made without one: then it is 0. */
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

bool disk_file_system_identity(const char *path, const char *type, char *text, size_t size)
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
    /* These make f_fsid of their UUID; that of others is a device number. */
    if ((strcmp(type, "ext4") != 0 && strcmp(type, "btrfs") != 0) || statfs(path, &status) != 0)
        return false;
    memcpy(&number, &status.f_fsid, sizeof number);
    if (number != 0)
        snprintf(text, size, "file system %016llx", (unsigned long long)number);
    return number != 0;
}

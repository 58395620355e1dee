#ifndef COMMON_DISK_H
#define COMMON_DISK_H

/* What a block device says of itself, by its folder in /sys. */

#include <stdbool.h>
#include <stddef.h>

/* What it is known by on every machine and after every boot: "serial S3Z9NB0K", "wwid
 * eui.0025385b21404321", "uuid LVM-..." (device mapper, RAID), with the partition's number.
 * False, and "": it says nothing of the kind. */
bool disk_identity(const char *folder, char *text, size_t size);

/* Whether a host makes it up for a virtual machine, by its driver, or by its vendor and
 * model. */
bool disk_is_virtual(const char *folder);

/* What the file system itself is known by, without any right: a number that stays the
 * same as long as it exists ("file system 0123456789abcdef"). False, and "": this kernel,
 * or this kind of file system, has none. */
bool disk_file_system_identity(const char *path, const char *type, char *text, size_t size);

#endif

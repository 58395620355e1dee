// Finds the mount that a file or folder is on.
#include "mount.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "machine.h"

// f_type of statfs(2), for what has to be told from a disk and for what is usual on one.
// Numbers, as headers of Linux 4.18 lack some: <linux/magic.h> of 6.1, and what is in no header:
// from the kernel's own sources, and Lustre's, ZFS', BeeGFS' and GPFS'. FUSE is not in it: any file
// system may be behind it.
static const struct {
    long magic;
    const char *type;
} magics[] = {
    {0x01021994, "tmpfs"},  {0x858458F6, "ramfs"},   {0x958458F6, "hugetlbfs"},
    {0x00006969, "nfs"},    {0xFF534D42, "cifs"},    {0xFE534D42, "smb3"},
    {0x00C36400, "ceph"},   {0x5346414F, "afs"},     {0x6B414653, "afs"},
    {0x73757245, "coda"},   {0x01021997, "9p"},      {0x7461636F, "ocfs2"},
    {0x0BD00BD0, "lustre"}, {0x19830326, "beegfs"},  {0x47504653, "gpfs"},
    {0x01161970, "gfs2"},   {0x794C7630, "overlay"}, {0x0000EF53, "ext4"}, // ext2 and ext3, too
    {0x58465342, "xfs"},    {0x9123683E, "btrfs"},   {0xF2F52010, "f2fs"},
    {0x00003434, "nilfs2"}, {0x2FC12FC1, "zfs"},
};

static const char *type_of(long magic)
{
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if (magics[i].magic == magic)
            return magics[i].type;
    return NULL;
}

// mountinfo writes blanks in paths as \040; undo that in place.
static void unescape(char *text)
{
    char *out = text;
    for (; *text != '\0'; text++) {
        unsigned code;
        if (text[0] == '\\' && sscanf(text + 1, "%3o", &code) == 1 && code < 256) {
            *out++ = (char)code;
            text += 3;
        } else {
            *out++ = *text;
        }
    }
    *out = '\0';
}

static void find_option(const char *options, const char *name, char *value, size_t size)
{
    const size_t length = strlen(name);
    value[0] = '\0';
    for (const char *at = options; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0) {
            snprintf(value, size, "%.*s", (int)strcspn(at + length, ","), at + length);
            unescape(value);
            return;
        }
    }
}

// One line: "ID PARENT MAJ:MIN ROOT POINT OPTIONS [FIELDS...] - TYPE SOURCE SUPER".
struct entry {
    uint64_t id;
    dev_t device;
    char *point;
    struct mount mount;
};

// Cuts the line into pieces; entry->point is one of them.
static bool parse(char *line, struct entry *entry)
{
    char *tail = strstr(line, " - "), *rest;
    unsigned above, below;
    if (!tail)
        return false;
    *tail = '\0';
    const char *id = strtok_r(line, " ", &rest);
    const char *parent = strtok_r(NULL, " ", &rest);
    const char *number = strtok_r(NULL, " ", &rest);
    const char *root = strtok_r(NULL, " ", &rest);
    entry->point = strtok_r(NULL, " ", &rest);
    const char *type = strtok_r(tail + 3, " \n", &rest);
    const char *source = strtok_r(NULL, " \n", &rest);
    const char *super = strtok_r(NULL, " \n", &rest);
    if (!id || !parent || !root || !entry->point || !source ||
        sscanf(number, "%u:%u", &above, &below) != 2)
        return false;
    entry->id = strtoull(id, NULL, 10);
    entry->device = makedev(above, below);
    unescape(entry->point);
    snprintf(entry->mount.type, sizeof entry->mount.type, "%s", type);
    snprintf(entry->mount.source, sizeof entry->mount.source, "%s", source);
    unescape(entry->mount.source);
    find_option(super ? super : "", "upperdir=", entry->mount.upper, sizeof entry->mount.upper);
    return true;
}

// How much of the path is the mount's; 0: it is not below it.
static size_t depth_below(const char *path, const char *point)
{
    const size_t length = strlen(point);
    if (strcmp(point, "/") == 0)
        return 1;
    return strncmp(path, point, length) == 0 && (path[length] == '/' || path[length] == '\0')
               ? length
               : 0;
}

// How well a mount fits: the innermost, but before all those with the right number.
static size_t fit(const struct mount_query *query, const struct entry *entry)
{
    const size_t depth = depth_below(query->path, entry->point);
    const char *type = type_of(query->magic);
    if (depth > 0 && entry->device == query->device)
        return PATH_MAX + depth;
    return type && strcmp(type, entry->mount.type) == 0 ? depth : 0;
}

bool mount_find(FILE *mountinfo, const struct mount_query *query, struct mount *mount)
{
    struct entry entry;
    char *line = NULL;
    size_t size = 0, best = 0;
    bool found = false;
    *mount = (struct mount){.type = MOUNT_UNKNOWN};
    while (!found && mountinfo && getline(&line, &size, mountinfo) > 0) {
        if (!parse(line, &entry))
            continue;
        const size_t fits = query->has_id ? 0 : fit(query, &entry);
        found = query->has_id && entry.id == query->id;
        if (found || (fits > 0 && fits >= best)) // later ones are above earlier ones
            *mount = entry.mount;
        best = fits > best ? fits : best;
    }
    free(line);
    if (!found && best == 0 && type_of(query->magic))
        snprintf(mount->type, sizeof mount->type, "%s", type_of(query->magic));
    return strcmp(mount->type, MOUNT_UNKNOWN) != 0;
}

// The mount's own number, where headers and kernel (5.8) have it.
static void take_id(struct mount_query *query)
{
#ifdef STATX_MNT_ID
    struct statx status;
    query->has_id = statx(AT_FDCWD, query->path, 0, STATX_MNT_ID, &status) == 0 &&
                    (status.stx_mask & STATX_MNT_ID) != 0;
    if (query->has_id)
        query->id = status.stx_mnt_id;
#else
    (void)query;
#endif
}

bool mount_of(const char *path, struct mount *mount)
{
    char real[PATH_MAX];
    struct statfs system;
    struct mount_query query = {.path = real};
    struct stat plain;
    *mount = (struct mount){.type = MOUNT_UNKNOWN};
    if (!realpath(path, real) || stat(real, &plain) != 0)
        return false;
    query.device = plain.st_dev;
    if (statfs(real, &system) == 0)
        query.magic = (long)system.f_type;
    take_id(&query);
    char file[PATH_MAX];
    FILE *mountinfo = fopen(machine_path("/proc/self/mountinfo", file), "re");
    const bool found = mount_find(mountinfo, &query, mount);
    if (mountinfo)
        fclose(mountinfo);
    return found;
}

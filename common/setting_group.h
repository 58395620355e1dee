#ifndef COMMON_SETTING_GROUP_H
#define COMMON_SETTING_GROUP_H

// Settings that are files of a control group: the group is made for one process, and named by it.

#include "common/cgroup.h"

// How a value is given, and how the kernel has it.
enum form {
    FORM_WEIGHT, // 1 to 10000, 100 is what others have
    FORM_QUOTA,  // percent of one CPU
    FORM_SIZE,   // bytes
    FORM_CPUS,
    FORM_SWITCH, // 0 or 1
    FORM_WORDS,  // as the kernel reads it, with commas for blanks
};

struct setting_kind {
    const char *name, *argument;
    // Of the process itself: sets it, and says whether it is set.
    bool (*check)(const char *value);
    bool (*set)(const char *value);
    bool (*has)(const char *value, pid_t process);
    // Of a control group: the controller, and the file in v1 (NULL: v2 alone has it).
    const char *controller, *v1_file;
    enum form form;
};

// Where a group for a controller can be made, and how files are named in it.
struct setting_place {
    char folder[CGROUP_PATH];
    bool v1;
};

// Whether it is a value of such a file.
bool setting_group_takes(const struct setting_kind *kind, const char *value);
// Removes an empty group of our name: that of a process which had our number before.
void setting_group_forget(const struct setting_kind *kind);
// Makes our group, unless it is there already, and gives it the value (NULL: none). False with a
// reason, as all of these.
bool setting_group_make(const struct setting_kind *kind, const char *value,
                        struct setting_place *place, char *error, size_t size);
// Moves this process into it.
bool setting_group_enter(const struct setting_kind *kind, const struct setting_place *place,
                         char *error, size_t size);
// Whether the process is in the group that was made for it, and that has the value.
bool setting_group_has(const struct setting_kind *kind, const char *value, pid_t process,
                       char *error, size_t size);
// Removes the groups of processes that are no more.
void setting_groups_sweep(void);

#endif

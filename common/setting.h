#ifndef COMMON_SETTING_H
#define COMMON_SETTING_H

// Settings of the kernel that decide what a program gets beside others, NAME=VALUE: its priority
// (nice, sched, ionice), its CPUs, and what a control group of its own has (cpu.weight,
// memory.high,
// ...). They are inherited, so a program that sets them and becomes another one has set them for
// that. A group is removed by setting_groups_sweep(), once nobody is in it.

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { SETTINGS_MOST = 16, SETTING_ERROR = 512 };

// NAME=VALUE, taken apart.
struct setting {
    const struct setting_kind *kind;
    const char *value; // within the text that was read
};

// Reads one. False, and error says what is wrong and what to do: an unknown name, or a value that
// it cannot have.
bool setting_read(struct setting *setting, const char *text, char *error, size_t size);

// Sets them for the calling process, and reads them back. False with a reason.
bool settings_apply(const struct setting *settings, size_t count, char *error, size_t size);

// Whether the process has them now. False with a reason.
bool settings_verify(const struct setting *settings, size_t count, pid_t process, char *error,
                     size_t size);

// Whether all that the process has started has them as well; it may have made itself nicer still,
// and chosen among its CPUs. False, and error names a program that has not: one that has undone
// them.
bool settings_verify_tree(const struct setting *settings, size_t count, pid_t process, char *error,
                          size_t size);

// Whether settings_apply() would succeed on this machine: a child of ours tries. False with a
// reason.
bool settings_try(const struct setting *settings, size_t count, char *error, size_t size);

// Removes the groups of processes that are no more.
void setting_groups_sweep(void);

#endif

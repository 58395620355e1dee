#ifndef COMMON_LEFT_ON_H
#define COMMON_LEFT_ON_H

// What a user's own settings (--setting) have left on, on this machine: a note for each that is on,
// a bash script that turns it off and removes itself. It is beside a lock that its jostle holds as
// long as it lives.

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define LEFT_ON_NOTE ".on"
#define LEFT_ON_LOCK ".lock"

// The first lines of a note (harness/lib/setting.bash): a word, and a text behind it.
#define LEFT_ON_NAME "# setting: "
#define LEFT_ON_OFF  "# off: "
// And the end of its last line, without which it was cut off.
#define LEFT_ON_END "rm -f -- \"$0\""

struct left_on {
    char name[64], off[256]; // as the user wrote them
    char path[PATH_MAX];     // of the note
};

// The path of NAME among the notes of this machine:
// ${XDG_CACHE_HOME:-~/.cache}/jostle/settings/HOST.NAME. -1: no place for one.
int left_on_path(const char *name, char path[PATH_MAX]);

// Calls `take` with each setting whose jostle has ended without turning it off.
void left_on_each(void (*take)(const struct left_on *left, void *with), void *with);

#endif

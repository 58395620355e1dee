#ifndef COMMON_AWAY_H
#define COMMON_AWAY_H

#include <limits.h>
#include <stdbool.h>

// Records that grow outside the current folder. A target that walks the folder that it runs in
// (find, grep -r, a linter, a backup) would read them, and have more to do in each run. While an
// experiment runs, its folder PATH below the current one is a symbolic link to PLACE, which holds
// the records; at the end they change places. Links are not followed by what walks a tree.
//
// PLACE is on the file system of PATH, so that all of that is one rename, and the records are as
// safe in it as in PATH: jostle/NAME in ${XDG_STATE_HOME:-~/.local/state}, or .jostle.NAME in the
// highest folder above the current one that can be written to. Whenever we are killed, PATH leads
// to the records, and they are read and continued by that name.

// The absolute name of the folder at path, which exists: links resolved, but the one that
// away_take made. False with errno.
bool away_absolute(const char *path, char absolute[PATH_MAX]);
// Whether path is a link that away_take made.
bool away_is(const char *path);
// Has an absolute folder below the current one be a link to its place. fresh: nothing is in it that
// must not be lost. False: it is where it was, as there is no such place, or no need for one.
bool away_take(const char *path, bool fresh);
// Puts the records back to path, where away_take had put them elsewhere; finishes what was cut off.
// False with errno: they are where path leads to.
bool away_return(const char *path);

#endif

#ifndef COMMON_KEPT_H
#define COMMON_KEPT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

// What is measured once and kept for later runs, in
// ${XDG_CACHE_HOME:-~/.cache}/jostle.

// The path of NAME ("calibration/x.json") there, whether it exists or not; -1: no place
// for one.
int kept_path(const char *name, char path[PATH_MAX]);
// Makes the folder that path is in, with those above it, for the user alone. 0, or -1 with errno.
int kept_make_folder(const char *path);
// Writes text to path, whose folder it makes, so that nobody ever reads half of it (common/save.h).
// 0, or -1 with errno.
int kept_write(const char *path, const char *text);
// What of this machine a measured rate depends on: "AMD EPYC, 2 CPUs". Two machines of
// one name, as clouds give them, are told apart by it. Returns text.
const char *kept_machine(char *text, size_t size);

#endif

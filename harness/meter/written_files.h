// The files that a metric is read from: those that a run wrote.
#ifndef METER_WRITTEN_FILES_H
#define METER_WRITTEN_FILES_H

#include <glob.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

// What was there before a run.
struct files_before {
    struct stat *status;
    size_t count;
    bool unknown; // no memory to know it
};

// Forgets what was noted.
void files_forget(struct files_before *before);

// The files of path, in order of their names; a path without a pattern is itself, whether it is
// there or not. globfree() frees them. False: there is no memory.
bool files_find(const char *path, glob_t *found);

// Notes what the files of path, which may be a pattern, are like now. Waits for the next tick of
// the kernel's clock (at most 10 ms) where one was written in this one.
void files_note(struct files_before *before, const char *path);

// Opens a file that has to be a regular one, and written since. -1 with *why set to what is wrong
// with it: "was not written by this run".
int files_open(const struct files_before *before, const char *path, const char **why);

#endif

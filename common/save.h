#ifndef COMMON_SAVE_H
#define COMMON_SAVE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Writes whole files. Whatever comes in between (a full disk, a signal, SIGKILL, a power cut), path
// holds what was there before or all that is written now: the new text is a file without a name, or
// a temporary one beside path, until it is on the disk.
//
//     struct save save;
//     bool good = save_begin(&save, path, SAVE_RECORD);
//     if (good)
//         good = save_end(&save, fputs(text, save.file) != EOF);
//     return good || save_complain(path);

enum save_kind {
    SAVE_RECORD, // in a folder of ours: on the disk when save_end returns; a link is replaced
    SAVE_STATE,  // the same, but not flushed: it can be made again, and is written often
    SAVE_OUTPUT, // a file that the user named: flushed, a link is followed, mode and owner of a
                 // file that is there stay. A device or a pipe is written to as it is, by all.
};

struct save {
    FILE *file;             // to be written to; owned by the save
    char *path, *temporary; // temporary: NULL where the file has no name yet, or is path itself
    enum save_kind kind;
    bool direct; // path itself is written to: a device, or its folder takes no other file
};

// Opens save->file. False with errno: nothing was changed, and there is nothing to end.
bool save_begin(struct save *save, const char *path, enum save_kind kind);

// Ends what save_begin began. written: what was written to the stream so far succeeded; errno
// then says why not. True: the file is at path. False with errno: path is as it was (but a
// device), and no temporary file is left.
bool save_end(struct save *save, bool written);

// Writes a text to path, all of the above in one. False with errno.
bool save_text(const char *path, const char *text, enum save_kind kind);

// Brings the entries of the folder that path is in to the disk: after a rename or a new file. Where
// the file system has no such thing, true. False with errno.
bool save_sync_folder(const char *path);

// What is measured is nothing that belongs into a repository: where path is in a folder
// jostle-results, git ignores all of that from now on. Without that file nothing is lost.
void save_ignore_results(const char *path);
// "jostle-results/KIND.PROGRAM.TIME.PID" (kind "": without), where the user names no folder for
// what is measured; to be freed. program: a path, of which the last name counts. Ends the program
// where memory runs out.
char *save_default_folder(const char *kind, const char *program);
// Makes a folder, and those above it that are not there; what is made stays after a power cut.
// created, or NULL: whether the folder itself was not there. False with errno.
bool save_make_folder(const char *path, bool *created);
// Appends one line to an open file, with one write where that is possible. False with errno: a
// regular file is as long as it was before, so that no half line is left in it.
bool save_append(int fd, const char *line, size_t length);

// What to do about an errno of writing, for the end of a message: "make room on its disk".
const char *save_advice(int error);
// Says the same of the file at path: whether its file system lacks room or inodes.
const char *save_advice_at(int error, const char *path);

// "cannot make the folder PATH (REASON): ADVICE", from errno. Returns false.
bool save_complain_folder(const char *path);

// "PATH cannot be written (REASON): ADVICE", from errno; "-" is standard output. Returns false.
bool save_complain(const char *path);

// Ends the program, after a message, where --json or the like names a file (NULL: none; "-":
// stdout) that cannot be written: that is said before anything is measured. A folder that is made
// with that of the records (NULL: there is none, or it has its usual name) may still be missing.
void save_check_output(const char *path, const char *folder);

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

// Locks on files (flock), which end with whoever holds them.
#ifndef COMMON_LOCK_H
#define COMMON_LOCK_H

#include <stdbool.h>

enum lock_state {
    LOCK_TAKEN,
    LOCK_HELD,       // somebody else has it
    LOCK_IMPOSSIBLE, // this file system has no locks: nobody can have it
};

// Takes the lock of an open file, and waits for it wait_ms at most. The file must be
// open for reading and writing: NFS makes a POSIX lock of it, and refuses a shared one
// to who cannot read, an exclusive one to who cannot write.
enum lock_state lock_take(int file, bool shared, int wait_ms);

// The same, for as long as it takes, without a moment of CPU time; never LOCK_HELD.
enum lock_state lock_wait(int file, bool shared);

// Whether somebody else has the exclusive lock of a file; false where that cannot be
// known.
bool lock_is_held(const char *path);

enum { LOCK_STAMP_SIZE = 96 };

// Which version of a file is at path: another one as soon as a file is renamed to it.
// "" where there is none.
void lock_stamp(const char *path, char stamp[LOCK_STAMP_SIZE]);

#endif

// A process that outlives loadgen, to clean up behind it: its name, and what keeps it from being
// ended together with loadgen.

#include "load.h"

#include "common/arrangement.h"
#include "common/file.h"

#include <signal.h>
#include <sys/prctl.h>

// Source: proc_pid_stat(5): fields 48 and 49, arg_start and arg_end.
enum { STATE = 3, ARG_START = 48 };

// Gives this process another name, of up to 15 bytes, also as its command line in ps: the memory
// of argv is written over, so that nothing may point there any more.
static void title_set(const char *name)
{
    char text[2048];
    prctl(PR_SET_NAME, name);
    char *at =
        file_read(AT_FDCWD, "/proc/self/stat", text, sizeof text) ? strrchr(text, ')') : NULL;
    for (int field = STATE; at && field <= ARG_START; field++)
        at = strchr(at + 1, ' ');
    if (!at)
        return;
    const uintptr_t start = strtoull(at, &at, 10), end = strtoull(at, NULL, 10);
    const size_t length = strlen(name);
    if (start == 0 || end <= start + length) // 0: hidden from us
        return;
    memset((char *)start, 0, end - start);
    memcpy((char *)start, name, length);
}

void guard_begin(void)
{
    title_set("jostle-guard"); // `pkill -KILL -f loadgen` is a case for it, not its end
    prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0); // nobody keeps it from its duty by stopping it
    arrangement_apart();
}

#ifndef COPIES_COPY_H
#define COPIES_COPY_H

/* The copies themselves: started behind a gate, and waited for. */

#include "request.h"
#include "scratch.h"

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

struct copy {
    size_t number; /* from 1 on */
    const struct program_words *program;
    char **words;       /* the program's, with {copy} and {scratch} replaced */
    int stderr_fd;      /* a file without a name, what it writes there; -1: none */
    pid_t pid;          /* 0: it has not been started, or has ended */
    int status;         /* as wait() gives it */
    int64_t wall_ns;    /* from the opening of the gate to its end */
    int64_t cpu_ns;     /* of all its processes that it has waited for */
    int64_t peak_bytes; /* of the largest of them */
};

struct copies {
    const struct copies_request *request;
    sigset_t signals; /* blocked: SIGCHLD, and those that end us */
    struct scratch scratch;
    struct copy *copy;
    size_t count;
    int64_t makespan_ns;       /* of those that run at once, added up over those in turn */
    const struct copy *failed; /* the first; NULL: none */
    int signal;                /* that ended us; 0: none */
};

/* Makes what they need, their folders too. False after a message. To be freed in any case. */
bool copies_prepare(struct copies *copies, const struct copies_request *request);
/* Runs them to their end, at once or in turn; afterwards nothing of what they have started lives.
 * False after a message: they could not be run. A copy that fails, or a signal, ends all; that is
 * in `failed` and `signal`. */
bool copies_run(struct copies *copies);
/* Removes the folders, too: also where what has run them was killed. */
void copies_free(struct copies *copies);

#endif

#include "child.h"

#include "common/messages.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

const char *child_path(struct arena *arena, const char *program)
{
    char own[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length < 0)
        return program;
    own[length] = '\0';
    char *slash = strrchr(own, '/');
    return arena_format(arena, "%.*s/%s", slash == NULL ? 0 : (int)(slash - own), own, program);
}

/* Everything that can be read, in the arena. */
static char *read_all(struct arena *arena, int file)
{
    char *text = arena_format(arena, "%s", ""), part[4096];
    ssize_t got;
    while ((got = read(file, part, sizeof part)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0)
            text = arena_format(arena, "%s%.*s", text, (int)got, part);
    return text;
}

static int start(const char *const *argv, int output, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    if (output >= 0)
        error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (error == 0) /* argv is not written to: POSIX */
        error = posix_spawnp(child, argv[0], &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int child_run(struct arena *arena, const char *const *argv, char **output)
{
    int ends[2] = {-1, -1};
    pid_t child;
    if (output != NULL && pipe2(ends, O_CLOEXEC) != 0) {
        complain("cannot make a pipe: %s", strerror(errno));
        return -1;
    }
    const int error = start(argv, ends[1], &child);
    if (output != NULL)
        close(ends[1]);
    if (error != 0)
        complain("%s cannot be started: %s: run make", argv[0], strerror(error));
    else if (output != NULL)
        *output = read_all(arena, ends[0]);
    if (output != NULL)
        close(ends[0]);
    return error != 0 ? -1 : wait_for(child);
}

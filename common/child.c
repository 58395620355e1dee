#include "common/child.h"

#include "common/messages.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

const char *child_path(const char *program, char path[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(path, '/');
    char *name = slash == NULL ? path : slash + 1;
    snprintf(name, (size_t)(path + PATH_MAX - name), "%s", program);
    return path;
}

static bool is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool child_find(const char *program, char path[PATH_MAX])
{
    const char *folders = getenv("PATH");
    for (const char *rest = folders != NULL ? folders : "/bin:/usr/bin"; rest != NULL;) {
        const size_t length = strcspn(rest, ":");
        const int written = length == 0
                                ? snprintf(path, PATH_MAX, "./%s", program)
                                : snprintf(path, PATH_MAX, "%.*s/%s", (int)length, rest, program);
        if (written < PATH_MAX && is_program(path))
            return true;
        rest = rest[length] == ':' ? rest + length + 1 : NULL;
    }
    return false;
}

/* Everything that can be read; NULL: out of memory. */
static char *read_all(int file)
{
    char *text = NULL, part[4096];
    size_t size = 0;
    ssize_t got;
    FILE *all = open_memstream(&text, &size);
    while (all != NULL &&
           ((got = read(file, part, sizeof part)) > 0 || (got < 0 && errno == EINTR)))
        if (got > 0)
            fwrite(part, 1, (size_t)got, all);
    if (all != NULL && fclose(all) == 0)
        return text;
    free(text);
    return NULL;
}

static int start(const char *const *argv, int input, int output, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    if (input >= 0)
        error = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (error == 0 && output >= 0)
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

int child_run(const char *const *argv, int input, char **output)
{
    int ends[2] = {-1, -1}, status = -1;
    pid_t child;
    if (output != NULL)
        *output = NULL;
    if (output != NULL && pipe2(ends, O_CLOEXEC) != 0) {
        complain("cannot make a pipe: %s", strerror(errno));
        return -1;
    }
    const int error = start(argv, input, ends[1], &child);
    if (output != NULL)
        close(ends[1]);
    if (error != 0)
        complain("%s cannot be started (%s): run make", argv[0], strerror(error));
    else if (output != NULL)
        *output = read_all(ends[0]);
    if (output != NULL)
        close(ends[0]);
    if (error == 0)
        status = wait_for(child);
    if (output == NULL || *output != NULL || status < 0)
        return status;
    complain("out of memory: free some");
    return -1;
}

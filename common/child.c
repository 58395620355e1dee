// Finds other programs, says why one cannot be started, and runs one to its end.
#include "common/child.h"

#include "common/file.h"
#include "common/messages.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

const char *child_path(const char *program, char path[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(path, '/');
    char *name = !slash ? path : slash + 1;
    snprintf(name, (size_t)(path + PATH_MAX - name), "%s", program);
    return path;
}

bool child_is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool child_find(const char *program, char path[PATH_MAX])
{
    const char *folders = getenv("PATH");
    for (const char *rest = folders ? folders : "/bin:/usr/bin"; rest;) {
        const size_t length = strcspn(rest, ":");
        const int written = length == 0
                                ? snprintf(path, PATH_MAX, "./%s", program)
                                : snprintf(path, PATH_MAX, "%.*s/%s", (int)length, rest, program);
        if (written < PATH_MAX && child_is_program(path))
            return true;
        rest = rest[length] == ':' ? rest + length + 1 : NULL;
    }
    return false;
}

enum { HEAD_SIZE = 256 }; // as much as the kernel looks at of a script

// What the kernel starts for a script, of its first line in `head`, which is cut after it; NULL: it
// is no script.
static char *interpreter_of(char *head)
{
    if (strncmp(head, "#!", 2) != 0)
        return NULL;
    char *word = head + 2 + strspn(head + 2, " \t");
    word[strcspn(word, " \t\n")] = '\0';
    return *word == '\0' ? NULL : word;
}

// Of a program that is there, why the kernel cannot find what it needs.
static void why_incomplete(char *head, char *text, size_t size)
{
    char *interpreter = interpreter_of(head);
    const size_t length = !interpreter ? 0 : strlen(interpreter);
    if (length > 0 && interpreter[length - 1] == '\r')
        snprintf(text, size,
                 "its lines end with CR LF, so its interpreter is \"%.*s\\r\": convert it with "
                 "dos2unix",
                 (int)length - 1, interpreter);
    else if (length > 0)
        snprintf(text, size, "its interpreter %s is not there", interpreter);
    else
        snprintf(text, size,
                 "it is there, but not the loader or interpreter that it was built for");
}

static void why_denied(const char *path, char *head, char *text, size_t size)
{
    struct statvfs system;
    const char *interpreter = interpreter_of(head);
    if (!child_is_program(path))
        snprintf(text, size, "not executable");
    else if (statvfs(path, &system) == 0 && (system.f_flag & ST_NOEXEC) != 0)
        snprintf(text, size, "not executable: its file system is mounted noexec");
    else if (interpreter && access(interpreter, X_OK) != 0)
        snprintf(text, size, "its interpreter %s is not executable", interpreter);
    else
        snprintf(text, size, "not executable: %s", strerror(EACCES));
}

const char *child_why(const char *word, int error, char *text, size_t size)
{
    char path[PATH_MAX], head[HEAD_SIZE] = "";
    const bool named = strchr(word, '/') != NULL;
    const bool there =
        named ? snprintf(path, sizeof path, "%s", word) < PATH_MAX && access(path, F_OK) == 0
              : child_find(word, path);
    const int fd = there ? file_open_regular(path, true) : -1;
    if (fd >= 0) {
        (void)file_read_open(fd, head, sizeof head);
        (void)close(fd);
    }
    if (error == ENOENT && there)
        why_incomplete(head, text, size);
    else if (error == ENOENT)
        snprintf(text, size, "not found");
    else if (error == EACCES && there)
        why_denied(path, head, text, size);
    else
        snprintf(text, size, "%s", error == EACCES ? "not executable" : strerror(error));
    return text;
}

// Everything that can be read; NULL: out of memory.
static char *read_all(int file)
{
    char *text = NULL, part[4096];
    size_t size = 0;
    ssize_t got;
    FILE *all = open_memstream(&text, &size);
    while (all && ((got = read(file, part, sizeof part)) > 0 || (got < 0 && errno == EINTR)))
        if (got > 0)
            fwrite(part, 1, (size_t)got, all);
    if (all && fclose(all) == 0)
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
    if (error == 0) // argv is not written to: POSIX
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
    if (output)
        *output = NULL;
    if (output && pipe2(ends, O_CLOEXEC) != 0) {
        complain("cannot make a pipe: %s", strerror(errno));
        return -1;
    }
    const int error = start(argv, input, ends[1], &child);
    if (output)
        close(ends[1]);
    if (error != 0)
        complain("%s cannot be started (%s): run make", argv[0], strerror(error));
    else if (output)
        *output = read_all(ends[0]);
    if (output)
        close(ends[0]);
    if (error == 0)
        status = wait_for(child);
    if (!output || *output || status < 0)
        return status;
    complain("out of memory: free some");
    return -1;
}

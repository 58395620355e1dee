// Finds control groups of containers and jobs (--account), and runs commands in containers.

#include "settings.h"

#include "common/cgroup.h"
#include "common/child.h"
#include "common/messages.h"
#include "common/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The container engines that say the process of a container alike.
static const char *const engines[] = {"podman", "docker", NULL};

// "NAME" behind "podman:", and which of them it is; NULL: none.
static const char *container_of(const char *text, const char **engine)
{
    for (size_t i = 0; engines[i] != NULL; i++) {
        const char *rest = text_after(text, engines[i]);
        *engine = engines[i];
        if (rest && rest[0] == ':' && rest[1] != '\0')
            return rest + 1;
    }
    return NULL;
}

bool account_check(const char *text, char *error, size_t size)
{
    const char *engine, *path = text_after(text, "cgroup:");
    if ((path && *path == '/') || container_of(text, &engine) || strcmp(text, "job") == 0)
        return true;
    snprintf(error, size,
             "not known: give cgroup:PATH (its folder in /sys/fs/cgroup), podman:NAME, "
             "docker:NAME, or job");
    return false;
}

// The main process of a container.
static pid_t container_process(const char *engine, const char *name)
{
    const char *const words[] = {
        "sh",        "-c",       "exec \"$@\" 2>/dev/null", "sh", engine, "inspect", "--type",
        "container", "--format", "{{.State.Pid}}",          name, NULL};
    OWNED char *output = NULL;
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int status = child_run(words, nothing, &output);
    const long pid = status == 0 && output ? strtol(output, NULL, 10) : 0;
    (void)close(nothing);
    if (pid <= 0)
        usage_error("--account %s:%s: no such container is running: start it first (%s ps)", engine,
                    name, engine);
    return (pid_t)pid;
}

// The folders of the group of a process; those of a job end at its folder job_ID.
static size_t folders_of(struct arena *arena, pid_t process, bool job, const char *folders[2])
{
    static const char *const controllers[] = {"cpuacct", "memory"};
    char folder[CGROUP_PATH];
    size_t count = 0;
    for (size_t i = 0; i < 3; i++) {
        const char *controller = i < 2 ? controllers[i] : "";
        char *end = NULL;
        if ((i == 2 && count > 0) || !cgroup_of(process, controller, folder))
            continue;
        if (job) {
            end = strstr(folder, "/job_");
            if (!end)
                continue;
            end[1 + strcspn(end + 1, "/")] = '\0';
        }
        folders[count++] = arena_format(arena, "%s", folder);
    }
    return count;
}

// PATH, and where it is of version 1 the folder of the same name in the other hierarchy.
static size_t folders_at(struct arena *arena, const char *path, const char *folders[2])
{
    static const char top[] = "/sys/fs/cgroup/";
    const char *below = text_after(path, top);
    folders[0] = path;
    if (access(path, R_OK | X_OK) != 0)
        usage_error("--account cgroup:%s: there is no such folder: give one of a control group",
                    path);
    if (access(arena_format(arena, "%s/cgroup.controllers", path), F_OK) == 0 || !below)
        return 1;
    below += strcspn(below, "/");
    folders[0] = arena_format(arena, "%scpuacct%s", top, below);
    folders[1] = arena_format(arena, "%smemory%s", top, below);
    return access(folders[1], F_OK) == 0 ? 2 : 1;
}

size_t account_folders(struct arena *arena, const char *text, const char *folders[2])
{
    const char *engine, *name = container_of(text, &engine), *path = text_after(text, "cgroup:");
    if (path)
        return folders_at(arena, path, folders);
    const bool job = !name;
    const size_t count = folders_of(arena, job ? 0 : container_process(engine, name), job, folders);
    if (count == 0)
        usage_error("--account %s: it has no control group of its own here: leave it out", text);
    return count;
}

bool container_check(const char *text, char *error, size_t size)
{
    const char *engine;
    if (container_of(text, &engine))
        return true;
    snprintf(error, size, "not known: give podman:IMAGE or docker:IMAGE");
    return false;
}

const char *container_program(struct arena *arena)
{
    const char *folder = getenv("JOSTLE_LIB");
    return arena_format(arena, "%s/in-container", !folder ? "." : folder);
}

const char *container_load(struct arena *arena, const char *text, const char **engine,
                           const char **image)
{
    const char *end = strstr(text, ": ");
    for (size_t i = 0; engines[i] && end; i++) {
        const char *rest = text_after(text, engines[i]);
        if (!rest || *rest != ' ' || rest + 1 >= end)
            continue;
        *engine = engines[i];
        *image = arena_format(arena, "%.*s", (int)(end - rest - 1), rest + 1);
        return end + 2;
    }
    *engine = *image = NULL;
    return NULL;
}

struct option_list container_words(struct arena *arena, const char *where,
                                   const struct option_list *words)
{
    const char *engine, *image = container_of(where, &engine);
    char path[PATH_MAX];
    if (!child_find(engine, path))
        usage_error("--in %s: there is no %s here: install it, or leave out --in", where, engine);
    const char *const before[] = {container_program(arena), engine, image};
    struct option_list all = {0};
    list_add_all(&all, arena, before, sizeof before / sizeof before[0]);
    list_add_all(&all, arena, words->item, words->count);
    return all;
}

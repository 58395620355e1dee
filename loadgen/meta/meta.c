// loadgen meta: creates, looks at, renames and removes files, at a rate: what a metadata server, a
// journal and the kernel's caches of names feel of builds, of mail folders, of untarring. Its files
// are in a folder of its own; a process that outlives us removes that, whatever ends us.

#define OPTIONS_OF struct meta_settings // see common/options.h

#include "common/cgroup.h"
#include "common/file.h"
#include "io/io.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define OPERATIONS 4 // of one file: create, stat, rename, unlink

struct meta_settings {
    const char *dir;
    bool shared, sync;
};

static const struct option_row options[] = {
    {ROW("dir", "DIR", OPTION_TEXT, dir),
     .help = "where its folder is made (default: $TMPDIR, else /var/tmp)"},
    {ROW("shared", NULL, OPTION_FLAG, shared),
     .help = "all workers in one folder, so that they wait for each other (default: a folder each)",
     .measured = true},
    {ROW("fsync", NULL, OPTION_FLAG, sync),
     .help = "each file is flushed before it is renamed, and its folder after that",
     .measured = true},
    {0},
};

struct meta {
    char folder[PATH_MAX / 2];
    pid_t guard; // 0: there is none
    int alive;   // while it is open, the guard waits; -1: closed
};

static inline struct meta *state_of(const struct run *run)
{
    return run->state;
}

// One worker's folder, and the file that it has there.
struct place {
    int folder; // -1: not open
    uint64_t next;
};

static inline struct place *own_of(const struct worker *worker)
{
    return worker->state;
}

// The process that removes the folder when we are gone: the end of a pipe tells it.
static _Noreturn void guard(const struct meta *meta, int from_us)
{
    char byte;
    guard_begin();
    for (int number = 1; number < SIGRTMIN; number++)
        if (number != SIGCHLD)
            (void)signal(number, SIG_IGN);
    // Nobody who waits for the end of our output waits for this.
    (void)dup2(from_us, STDIN_FILENO);
    file_close_from(STDIN_FILENO + 1);
    while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
        ;
    file_remove_tree(meta->folder);
    _exit(EXIT_SUCCESS);
}

static void check(struct run *run)
{
    (void)io_folder_check(run, io_folder(settings_of(run)->dir));
}

static int prepare(struct run *run)
{
    struct meta *meta = run->state;
    const char *parent = io_folder(settings_of(run)->dir);
    meta->alive = -1;
    if (snprintf(meta->folder, sizeof meta->folder, "%s/jostle-meta.XXXXXX", parent) >=
            (int)sizeof meta->folder ||
        !mkdtemp(meta->folder)) {
        meta->folder[0] = '\0';
        return run_fail(run, "no folder can be made in %s: %s: choose another --dir", parent,
                        strerror(errno));
    }
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return run_fail(run, "no pipe: %s: see ulimit -n", strerror(errno));
    meta->alive = ends[1];
    meta->guard = fork();
    if (meta->guard == 0)
        guard(meta, ends[0]);
    close(ends[0]);
    if (meta->guard > 0)
        return 0;
    meta->guard = 0;
    return run_fail(run, "no process: %s: raise that limit",
                    limits_why(errno, (char[LIMITS_WHY]){0}, LIMITS_WHY));
}

static int begin(struct worker *worker)
{
    const struct run *run = worker->run;
    struct place *own = worker->state;
    char path[PATH_MAX];
    own->folder = -1;
    (void)snprintf(path, sizeof path, "%s/%u", state_of(run)->folder,
                   settings_of(run)->shared ? 0 : worker->index);
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return worker_fail(worker, "%s: %s: choose another --dir", path, strerror(errno));
    own->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return own->folder >= 0 ? 0 : worker_fail(worker, "%s: %s", path, strerror(errno));
}

static void end(struct worker *worker)
{
    if (own_of(worker)->folder >= 0)
        close(own_of(worker)->folder);
}

// Made, flushed where that is asked for, looked at, renamed, removed.
static bool one_file(const struct place *own, const char *name, const char *later, bool sync)
{
    struct stat status;
    const int file = openat(own->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return false;
    const bool flushed = !sync || fsync(file) == 0;
    return (close(file) == 0) & flushed && fstatat(own->folder, name, &status, 0) == 0 &&
           renameat(own->folder, name, own->folder, later) == 0 &&
           (!sync || fsync(own->folder) == 0) && unlinkat(own->folder, later, 0) == 0;
}

static double operate(struct worker *worker)
{
    struct place *own = worker->state;
    char name[64], later[64];
    (void)snprintf(name, sizeof name, "%u.%ju", worker->index, (uintmax_t)own->next);
    (void)snprintf(later, sizeof later, "%u.%ju.later", worker->index, (uintmax_t)own->next);
    own->next++;
    if (!one_file(own, name, later, settings_of(worker->run)->sync))
        return worker_fail(worker, "a file in %s: %s: choose another --dir",
                           state_of(worker->run)->folder, strerror(errno));
    return OPERATIONS;
}

static void cleanup(struct run *run)
{
    struct meta *meta = run->state;
    if (meta->guard == 0) {
        if (meta->folder[0] != '\0')
            file_remove_tree(meta->folder);
        return;
    }
    close(meta->alive);
    while (waitpid(meta->guard, NULL, 0) < 0 && errno == EINTR)
        ;
}

static void describe(struct run *run, struct line *line)
{
    line_text(line, "folder", state_of(run)->folder);
}

static const struct load meta_load = {
    .name = "meta",
    .summary = "creates, looks at, renames and removes files, at a rate",
    .details = "The rate of --limit is in metadata operations a second, four for each file: "
               "create, stat, rename and unlink; latencies are of a file, all four. Files are "
               "empty, in a folder of its own that is removed at the end, also after SIGKILL.",
    LOAD_OPTIONS(options),
    .state_size = sizeof(struct meta),
    .worker_size = sizeof(struct place),
    .unit = UNIT_OPS,
    .quantum = OPERATIONS,
    .uses = USES_DISK,
    .calibrations = (const char *const[]){"--threads 1", "--threads 1 --fsync", NULL},
    .check = check,
    .prepare = prepare,
    .begin = begin,
    .operate = operate,
    .end = end,
    .cleanup = cleanup,
    .describe = describe,
};
LOADGEN_REGISTER(meta_load);

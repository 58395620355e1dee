#include "campaign.h"
#include "harness/experiment/settings.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/save.h"
#include "common/schemas.h"
#include "common/text.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STATUS_FORMAT (JSON_COMPACT | JSON_REAL_PRECISION(9))

enum { TICK_MS = 1000, REASON_SIZE = 1024, SPACE_BYTES = 65536 };
// What jostle's exit status means, see jostle slowdown --help.
enum { EXIT_USAGE = 2, EXIT_ABOVE = 3, EXIT_UNDECIDED = 4, EXIT_TARGET = 5 };
enum { SIGNALLED = 128, KILLED = SIGNALLED + SIGKILL };
enum { RELEASE_STEP_NS = 20000000, RELEASE_STEPS = 500 }; // 10 s in all

// ---- the empty working folder of a cell

// It is noted in the cell's folder, by host: what a session left that was killed is removed by the
// next, where nobody has its lock.
struct scratch {
    char path[PATH_MAX]; // "": there is none
    char note[PATH_MAX + HOST_NAME_MAX + 16];
    int fd; // locked, as long as we live; -1: it cannot be
};

// A folder of ours as mkdtemp() makes it, and its name as we write it: a note of somebody else's
// must not name anything that was not made for this.
static bool is_scratch(const char *path)
{
    char pattern[64];
    struct stat status;
    snprintf(pattern, sizeof pattern, "/*/jostle.%u.??????", (unsigned)geteuid());
    return fnmatch(pattern, path, 0) == 0 && !strstr(path, "/../") && lstat(path, &status) == 0 &&
           S_ISDIR(status.st_mode) && status.st_uid == geteuid() && (status.st_mode & 0777) == 0700;
}

// Opens a folder, and locks it; -1: somebody else has it, or it cannot be locked.
static int lock_folder(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || lock_take(fd, false, 0) == LOCK_TAKEN)
        return fd;
    close(fd);
    return -1;
}

// What the last session on this host noted and did not remove.
static void remove_left(const char *note)
{
    char path[PATH_MAX];
    FILE *file = file_open_record(note);
    const bool noted = file && fgets(path, sizeof path, file);
    if (file)
        fclose(file);
    if (!noted)
        return;
    path[strcspn(path, "\n")] = '\0';
    const int fd = is_scratch(path) ? lock_folder(path) : -1;
    if (fd < 0)
        return;
    file_remove_tree(path);
    close(fd);
}

// Removes it, with everything in it.
static void scratch_remove(struct scratch *scratch)
{
    if (scratch->path[0] == '\0')
        return;
    file_remove_tree(scratch->path);
    unlink(scratch->note);
    if (scratch->fd >= 0)
        close(scratch->fd);
    scratch->path[0] = '\0';
}

// Makes one in base for the cell whose records are in folder. False after a message.
static bool scratch_make(struct scratch *scratch, const char *base, const char *folder)
{
    char host[HOST_NAME_MAX + 1] = "localhost";
    gethostname(host, sizeof host - 1);
    snprintf(scratch->note, sizeof scratch->note, "%s/scratch.%s", folder, host);
    remove_left(scratch->note);
    snprintf(scratch->path, sizeof scratch->path, "%s/jostle.%u.XXXXXX", base, (unsigned)geteuid());
    if (!mkdtemp(scratch->path)) {
        scratch->path[0] = '\0';
        return complain("cannot make a working folder in %s: give another --scratch", base);
    }
    scratch->fd = lock_folder(scratch->path);
    struct save save;
    if (save_begin(&save, scratch->note, SAVE_STATE) &&
        save_end(&save, fprintf(save.file, "%s\n", scratch->path) > 0))
        return true;
    save_complain(scratch->note);
    scratch_remove(scratch);
    return false;
}

// ---- the cells

struct drive {
    const struct drive_settings *settings;
    const struct states *states;
    struct progress progress;
    struct scratch scratch;
    size_t next;      // index of the cell to look at next
    bool full;        // nothing can be written any more
    size_t failed;    // cells whose target failed
    size_t broken;    // cells that could not be measured
    size_t held;      // cells that another jostle measures
    unsigned session; // that was prepared last, or is being prepared; 0: none
};

static const char *name_of(const struct drive *drive, size_t index)
{
    return drive->states->list[index].cell_name;
}

// A file of a cell, or with "" its folder.
static const char *path_of(const struct drive *drive, size_t index, const char *file,
                           char path[PATH_MAX])
{
    return cell_path(drive->settings->folder, name_of(drive, index), file, path);
}

// Writes a file of a cell.
static bool save_json(const char *path, const json_t *record, size_t flags)
{
    OWNED char *text = must(json_dumps(record, flags));
    return save_text(path, text, SAVE_STATE);
}

static bool say_full(const char *folder)
{
    return complain("%s cannot be written to, the disk may be full: make room and run the same "
                    "command again, it continues from here",
                    folder);
}

// --- the next cell

// What another definition has measured makes room.
static bool put_away(const struct drive *drive, size_t index)
{
    char from[PATH_MAX], to[PATH_MAX];
    const char *folder = drive->settings->folder;
    if (!state_is(&drive->states->list[index], "changed"))
        return true;
    snprintf(to, sizeof to, "%s/replaced", folder);
    if (!save_make_folder(to, NULL))
        return false;
    for (int number = 1; number < INT_MAX; number++) {
        snprintf(to, sizeof to, "%s/replaced/%s.%d", folder, name_of(drive, index), number);
        if (access(to, F_OK) != 0)
            break;
    }
    return rename(path_of(drive, index, "", from), to) == 0;
}

// DIR/cells/NAME/cell.json: the cell as the plan has it, and the loads that it is measured under.
static bool write_cell(const struct drive *drive, size_t index)
{
    const json_t *planned = drive->states->list[index].cell;
    const char *spec = json_text_at(planned, "spec");
    char path[PATH_MAX];
    json_t *loads =
        spec ? json_pack("[{ss? ss}]", "name", json_text_at(planned, "condition"), "spec", spec)
             : json_array();
    json_t *cell = must(json_pack("{ss so}", "schema", SCHEMA_CELL, "loads", loads));
    json_object_update(cell, (json_t *)planned);
    const bool written = save_json(path_of(drive, index, "cell.json", path), cell, JSON_INDENT(1));
    json_decref(cell);
    return written;
}

static bool begin_cell(struct drive *drive, size_t index)
{
    char path[PATH_MAX];
    if (!put_away(drive, index) || !save_make_folder(path_of(drive, index, "", path), NULL) ||
        !write_cell(drive, index))
        return say_full(drive->settings->folder);
    return scratch_make(&drive->scratch, drive->settings->scratch, path);
}

// DIR/session2.prepared: there once a session is prepared.
static const char *marker_path(const struct drive *drive, unsigned session, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/session%u.prepared", drive->settings->folder, session);
    return path;
}

// A session is prepared before its first cell only: afterwards its cells would differ.
static bool needs_preparation(const struct drive *drive, unsigned session)
{
    char path[PATH_MAX];
    if (!drive->settings->prepare || session == drive->session ||
        access(marker_path(drive, session, path), F_OK) == 0)
        return false;
    for (size_t i = 0; i < drive->states->count; i++)
        if (drive->states->list[i].status && session_of(drive->states->list[i].cell) == session)
            return false;
    return true;
}

static void end_preparation(const struct drive *drive)
{
    char path[PATH_MAX];
    if (drive->session > 0 && !save_text(marker_path(drive, drive->session, path), "", SAVE_RECORD))
        say_full(drive->settings->folder);
    puts("prepared");
}

static void answer_next(struct drive *drive)
{
    for (; drive->next < drive->states->count; drive->next++) {
        const size_t index = drive->next;
        if (!drive->states->list[index].todo)
            continue;
        if (cell_is_held(drive->settings->folder, name_of(drive, index))) {
            progress_clear(&drive->progress);
            complain("%s is being measured by another jostle: skipped", name_of(drive, index));
            drive->held++;
            continue;
        }
        const unsigned session = session_of(drive->states->list[index].cell);
        if (needs_preparation(drive, session)) {
            progress_clear(&drive->progress);
            drive->session = session;
            printf("session\t%u\t%s\t%s\n", session,
                   drive->settings->file ? drive->settings->file : "./", drive->settings->prepare);
            return;
        }
        if (drive->full || !begin_cell(drive, index)) {
            puts("failed");
            return;
        }
        drive->next++;
        progress_cell(&drive->progress, index);
        printf("cell\t%s\t%s\n", name_of(drive, index), drive->scratch.path);
        return;
    }
    if (drive->full) // that has been said, also where it was the last cell
        puts("failed");
    else
        printf("end\t%zu\t%zu\t%zu\n", drive->failed, drive->broken, drive->held);
}

// --- a cell has ended

// What a cell's exit status says of it.
static const char *state_of_status(int status)
{
    switch (status) {
    case 0:
    case EXIT_ABOVE:
    case EXIT_UNDECIDED:
        return "done";
    case EXIT_TARGET:
    case EXIT_USAGE:
        return "failed";
    default:
        return "interrupted";
    }
}

// Copies what the cell's jostle printed to our own stderr.
static void pass_stderr(const struct drive *drive)
{
    char text[4096];
    size_t size;
    FILE *file = fopen(drive->settings->stderr_path, "re");
    if (!file)
        return;
    while ((size = fread(text, 1, sizeof text, file)) > 0) {
        progress_clear(&drive->progress);
        fwrite(text, 1, size, stderr);
    }
    fclose(file);
}

// Where jostle said last that a command of --setup or the like failed, what that command said
// last, if anything: that is the cause, and has its own advice. Returns whether it is now.
static bool prefer_cause(char *reason, size_t size, const char *cause)
{
    char hook[16];
    int matched = 0;
    if (cause[0] == '\0' ||
        sscanf(reason, "--%15[a-z] failed with status %n", hook, &matched) != 1 || matched == 0)
        return false;
    snprintf(reason, size, "--%s: %.900s", hook, cause);
    return true;
}

// Why a cell is not done: the last line that jostle printed, else what its status.json
// says. Returns whether it is what a command of the cell said.
static bool find_reason(const struct drive *drive, size_t index, char *reason, size_t size)
{
    char *line = NULL, path[PATH_MAX], before[REASON_SIZE] = "";
    size_t capacity = 0;
    FILE *file = fopen(drive->settings->stderr_path, "re");
    reason[0] = '\0';
    while (file && getline(&line, &capacity, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        snprintf(before, sizeof before, "%s", reason);
        // The state is said in front of it.
        const char *said = text_after(line, "jostle: "),
                   *rest = text_after(said ? said : line, "interrupted ");
        snprintf(reason, size, "%s", rest ? rest : said ? said : line);
    }
    const bool has_cause = prefer_cause(reason, size, before);
    free(line);
    if (file)
        fclose(file);
    if (reason[0] != '\0')
        return has_cause;
    json_t *status = json_read_record(path_of(drive, index, "status.json", path), 0, NULL);
    json_copy_text(status, "reason", reason, size);
    json_decref(status);
    return false;
}

// The status of a cell that could not write its own.
static void write_broken(const struct drive *drive, size_t index, const char *state,
                         const char *reason)
{
    const json_t *cell = drive->states->list[index].cell;
    char path[PATH_MAX], stamp[DATE_SIZE], host[HOST_NAME_MAX + 1] = "";
    const int conditions = json_text_at(cell, "load") ? 2 : 1;
    gethostname(host, sizeof host - 1);
    (void)date_utc(time(NULL), stamp);
    json_t *status = json_pack(
        "{ss sO sO so ss ss ss si ss ss si si sn sf sn si sn}", "schema", SCHEMA_STATUS, "cell",
        json_object_get(cell, "name"), "key", json_object_get(cell, "key"), "limits",
        settings_limits(json_object_get(cell, "settings")), "state", state, "reason", reason,
        "host", host, "pid", 1, "started", stamp, "updated", stamp, "runs", 0, "max_runs",
        conditions * (int)setting_of_cell(cell, "max-runs", DEFAULT_MAX_RUNS), "error",
        "asked_error", setting_of_cell(cell, "error", 0.05), "expected_runs", "spent_s", 0, "job");
    if (!save_json(path_of(drive, index, "status.json", path), must(status), STATUS_FORMAT))
        save_complain(path);
    json_decref(status);
}

// Whether a folder still takes data.
static bool can_write(const char *folder)
{
    static const char zeros[SPACE_BYTES];
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/.space", folder);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return false;
    const bool written = write(file, zeros, sizeof zeros) == (ssize_t)sizeof zeros;
    const bool closed = close(file) == 0;
    unlink(path);
    return written && closed;
}

// The folder that takes no more data: that of the campaign, or the temporary one of its shell,
// which has what cells say and is then in `folder`. NULL: both do.
static const char *find_full(const struct drive *drive, char folder[PATH_MAX])
{
    snprintf(folder, PATH_MAX, "%s", drive->settings->stderr_path);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    return !can_write(drive->settings->folder) ? drive->settings->folder
           : slash && !can_write(folder)       ? folder
                                               : NULL;
}

// Brings the reason into the status that the cell wrote itself.
static void put_reason(const struct drive *drive, size_t index, const char *reason)
{
    char path[PATH_MAX];
    json_t *status = json_read_record(path_of(drive, index, "status.json", path), 0, NULL);
    const char *said = json_text_at(status, "reason");
    if (said && strcmp(said, reason) != 0 &&
        json_object_set_new(status, "reason", json_string(reason)) == 0 &&
        !save_json(path, status, STATUS_FORMAT))
        save_complain(path);
    json_decref(status);
}

static void end_cell(struct drive *drive, int status)
{
    const size_t index = drive->progress.current;
    const char *state = state_of_status(status);
    char reason[REASON_SIZE] = "", path[PATH_MAX], stderr_folder[PATH_MAX];
    // The process that was killed may be one that only waited for the measurement, which then still
    // ends in good order.
    for (int i = 0; status == KILLED && i < RELEASE_STEPS; i++) {
        if (!cell_is_held(drive->settings->folder, name_of(drive, index)))
            break;
        (void)nanosleep(&(struct timespec){.tv_nsec = RELEASE_STEP_NS}, NULL);
    }
    scratch_remove(&drive->scratch);
    drive->failed += status == EXIT_TARGET;
    drive->broken += status != EXIT_TARGET && strcmp(state, "done") != 0;
    if (strcmp(state, "done") == 0) {
        pass_stderr(drive);
    } else {
        const bool has_cause = find_reason(drive, index, reason, sizeof reason);
        if (reason[0] == '\0')
            snprintf(reason, sizeof reason, "it ended with status %d", status);
        if (access(path_of(drive, index, "status.json", path), F_OK) != 0 || status == KILLED)
            write_broken(drive, index, state, reason);
        else if (has_cause)
            put_reason(drive, index, reason);
    }
    progress_cell_end(&drive->progress, state, reason);
    const char *full = strcmp(state, "interrupted") == 0 && status <= SIGNALLED
                           ? find_full(drive, stderr_folder)
                           : NULL;
    if (full) {
        drive->full = true;
        say_full(full);
    }
    puts("ended");
}

// --- the dialogue

// Waits for a command, and draws the bar meanwhile. False: the shell is gone.
static bool next_command(const struct drive *drive, char **line, size_t *size)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    const int wait_ms = drive->progress.terminal ? TICK_MS : -1;
    int ready;
    while ((ready = poll(&input, 1, wait_ms)) == 0 || (ready < 0 && errno == EINTR))
        progress_tick(&drive->progress);
    // A command is a line, and waits for its answer: nothing is left in the buffer.
    return ready > 0 && getline(line, size, stdin) > 0;
}

static bool obey(struct drive *drive, const char *line)
{
    static const char ended[] = "ended ";
    if (strcmp(line, "next\n") == 0)
        answer_next(drive);
    else if (strcmp(line, "prepared\n") == 0)
        end_preparation(drive);
    else if (strncmp(line, ended, sizeof ended - 1) == 0 && drive->progress.measuring)
        end_cell(drive, (int)strtol(line + sizeof ended - 1, NULL, 10));
    else
        return complain("campaign run: unknown command %.20s: see harness/campaign/drive.h", line);
    return fflush(stdout) == 0;
}

bool drive(const struct drive_settings *settings, const struct states *states)
{
    struct drive drive = {.settings = settings, .states = states};
    OWNED char *line = NULL;
    size_t size = 0;
    bool obeyed = true;
    // What a terminal sends to all of us is the shell's to answer: we end with it.
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    for (size_t i = 0; i < states->count; i++)
        drive.failed += !states->list[i].todo && state_is(&states->list[i], "failed");
    progress_begin(&drive.progress, states, settings->folder, settings->quiet);
    while (obeyed && next_command(&drive, &line, &size))
        obeyed = obey(&drive, line);
    // The shell was killed: what still uses the folder removes it itself, or the next
    // session does.
    if (drive.progress.measuring &&
        !cell_is_held(settings->folder, name_of(&drive, drive.progress.current)))
        scratch_remove(&drive.scratch);
    progress_end(&drive.progress);
    return obeyed;
}

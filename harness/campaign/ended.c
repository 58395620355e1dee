// What became of a cell: its state by the exit status, why it is not done, and whether the disk is
// full.

#include "drive.h"

#include "common/exit_status.h"
#include "common/file.h"
#include "common/memory.h"
#include "common/own_file.h"
#include "common/save.h"
#include "common/schemas.h"
#include "common/text.h"
#include "harness/experiment/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STATUS_FORMAT (JSON_COMPACT | JSON_REAL_PRECISION(9))

enum { REASON_SIZE = 1024, SPACE_BYTES = 65536 };

enum { SIGNALLED = 128, KILLED = SIGNALLED + SIGKILL };
enum { RELEASE_STEP_NS = 20000000, RELEASE_STEPS = 500 }; // 10 s in all

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
    FILE *file = fopen(drive->campaign->stderr_path, "re");
    if (!file)
        return;
    while ((size = fread(text, 1, sizeof text, file)) > 0) {
        progress_clear(drive);
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

// Whether jostle says only what it waits for at its end (harness/arguments/undo.c).
static bool is_wait(const char *said)
{
    return text_after(said, "waits for ") || text_after(said, "has waited ");
}

// Why a cell is not done: the last line that jostle printed, else what its status.json
// says. Returns whether it is what a command of the cell said.
static bool find_reason(const struct drive *drive, size_t index, char *reason, size_t size)
{
    OWNED char *line = NULL;
    char path[PATH_MAX], before[REASON_SIZE] = "";
    size_t capacity = 0;
    FILE *file = fopen(drive->campaign->stderr_path, "re");
    reason[0] = '\0';
    while (file && getline(&line, &capacity, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        const char *said = text_after(line, "jostle: ");
        if (said && is_wait(said))
            continue;
        snprintf(before, sizeof before, "%s", reason);
        // The state is said in front of it.
        const char *rest = text_after(said ? said : line, "interrupted ");
        snprintf(reason, size, "%s", rest ? rest : said ? said : line);
    }
    const bool has_cause = prefer_cause(reason, size, before);
    if (file)
        fclose(file);
    if (reason[0] != '\0')
        return has_cause;
    json_auto_t *status =
        json_read_record(drive_cell_path(drive, index, "status.json", path), 0, NULL);
    json_copy_text(status, "reason", reason, size);
    return false;
}

// The status of a cell that could not write its own.
static void write_broken(const struct drive *drive, size_t index, const char *state,
                         const char *reason)
{
    const json_t *cell = drive->states->list[index].cell;
    char path[PATH_MAX], stamp[DATE_SIZE], host[HOST_NAME_MAX + 1] = "";
    const double most = (json_text_at(cell, "load") ? 2 : 1) * most_runs_of_cell(cell);
    gethostname(host, sizeof host - 1);
    (void)date_utc(time(NULL), stamp);
    json_auto_t *status = json_pack(
        "{ss sO sO so ss ss ss si ss ss si so sn sf sn si sn}", "schema", SCHEMA_STATUS, "cell",
        json_object_get(cell, "name"), "key", json_object_get(cell, "key"), "limits",
        settings_limits(json_object_get(cell, "settings")), "state", state, "reason", reason,
        "host", host, "pid", 1, "started", stamp, "updated", stamp, "runs", 0, "max_runs",
        isfinite(most) ? json_integer((json_int_t)most) : json_null(), "error", "asked_error",
        setting_of_cell(cell, "error", 0.05), "expected_runs", "spent_s", 0, "job");
    if (!drive_save(drive_cell_path(drive, index, "status.json", path), must(status),
                    STATUS_FORMAT))
        save_complain(path);
}

// Whether a folder still takes data. False with errno.
static bool can_write(const char *folder)
{
    static const char zeros[SPACE_BYTES];
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/.space", folder);
    const int file = file_create_own(path, O_WRONLY);
    if (file < 0)
        return false;
    bool written = file_write_all(file, zeros, sizeof zeros);
    int error = errno;
    if (close(file) != 0 && written) {
        written = false;
        error = errno;
    }
    unlink(path);
    errno = error;
    return written;
}

// The folder that takes no more data: that of the campaign, or the temporary one of its shell,
// which has what cells say and is then in `folder`; with errno. NULL: both do.
static const char *find_full(const struct drive *drive, char folder[PATH_MAX])
{
    snprintf(folder, PATH_MAX, "%s", drive->campaign->stderr_path);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    return !can_write(drive->campaign->folder) ? drive->campaign->folder
           : slash && !can_write(folder)       ? folder
                                               : NULL;
}

// Brings the reason into the status that the cell wrote itself.
static void put_reason(const struct drive *drive, size_t index, const char *reason)
{
    char path[PATH_MAX];
    json_auto_t *status =
        json_read_record(drive_cell_path(drive, index, "status.json", path), 0, NULL);
    const char *said = json_text_at(status, "reason");
    if (said && strcmp(said, reason) != 0 &&
        json_object_set_new(status, "reason", json_string(reason)) == 0 &&
        !drive_save(path, status, STATUS_FORMAT))
        save_complain(path);
}

void drive_end_cell(struct drive *drive, int status)
{
    const size_t index = drive->current;
    const char *state = state_of_status(status);
    char reason[REASON_SIZE] = "", path[PATH_MAX], stderr_folder[PATH_MAX];
    // The process that was killed may be one that only waited for the measurement, which then still
    // ends in good order.
    for (int i = 0; status == KILLED && i < RELEASE_STEPS; i++) {
        if (!cell_is_held(drive->campaign->folder, drive_cell_name(drive, index)))
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
        if (access(drive_cell_path(drive, index, "status.json", path), F_OK) != 0 ||
            status == KILLED)
            write_broken(drive, index, state, reason);
        else if (has_cause)
            put_reason(drive, index, reason);
    }
    progress_end(drive, state, reason);
    const char *full = strcmp(state, "interrupted") == 0 && status <= SIGNALLED
                           ? find_full(drive, stderr_folder)
                           : NULL;
    if (full) {
        drive->full = true;
        drive_complain_unwritable(full);
    }
}

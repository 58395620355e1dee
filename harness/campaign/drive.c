// The dialogue with the shell that runs the cells of a campaign: which comes next.

#include "drive.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/own_file.h"
#include "common/save.h"
#include "common/schemas.h"
#include "common/text.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TICK_MS = 1000 };

// ---- the next cell

// What another definition has measured makes room.
static bool put_away(const struct drive *drive, size_t index)
{
    char from[PATH_MAX], to[PATH_MAX];
    const char *folder = drive->campaign->folder;
    if (!state_is(&drive->states->list[index], "changed"))
        return true;
    snprintf(to, sizeof to, "%s/replaced", folder);
    if (!save_make_folder(to, NULL) || !file_is_own_folder(to))
        return false;
    for (int number = 1; number < INT_MAX; number++) {
        snprintf(to, sizeof to, "%s/replaced/%s.%d", folder, drive_cell_name(drive, index), number);
        if (access(to, F_OK) != 0)
            break;
    }
    return rename(drive_cell_path(drive, index, "", from), to) == 0;
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
    json_auto_t *cell = must(json_pack("{ss so}", "schema", SCHEMA_CELL, "loads", loads));
    json_object_update(cell, (json_t *)planned);
    return drive_save(drive_cell_path(drive, index, "cell.json", path), cell, JSON_INDENT(1));
}

static bool begin_cell(struct drive *drive, size_t index)
{
    char path[PATH_MAX];
    drive_cell_path(drive, index, "", path);
    if (!put_away(drive, index) || !save_make_folder(path, NULL) || !file_is_own_folder(path) ||
        !write_cell(drive, index))
        return drive_complain_unwritable(path);
    return scratch_make(&drive->scratch, drive->campaign->scratch, path);
}

// DIR/session2.prepared, to be freed: there once a session is prepared.
static char *marker_path(const struct drive *drive, unsigned session)
{
    return text_of("%s/session%u.prepared", drive->campaign->folder, session);
}

// A session is prepared before its first cell only: afterwards its cells would differ.
static bool needs_preparation(const struct drive *drive, unsigned session)
{
    OWNED char *marker = marker_path(drive, session);
    if (!json_has(drive->campaign->plan, "session_prepare") || session == drive->session ||
        access(marker, F_OK) == 0)
        return false;
    for (size_t i = 0; i < drive->states->count; i++)
        if (drive->states->list[i].status && session_of(drive->states->list[i].cell) == session)
            return false;
    return true;
}

static void end_preparation(const struct drive *drive)
{
    OWNED char *marker = marker_path(drive, drive->session);
    if (drive->session > 0 && !save_text(marker, "", SAVE_RECORD))
        drive_complain_unwritable(marker);
}

static void put_number(const char *name, size_t number)
{
    OWNED char *text = text_of("%zu", number);
    pair_put(name, text);
}

// The step that prepares a session, in the folder of the campaign's file.
static void put_session(const json_t *plan, unsigned session)
{
    const char *file = json_text_at(plan, "file"), *slash = file ? strrchr(file, '/') : NULL;
    OWNED char *name = text_of("session %u", session);
    OWNED char *folder =
        !slash ? text_of(".") : text_of("%.*s", (int)(slash - file + (slash == file)), file);
    pair_put("step", name);
    pair_put("folder", folder);
    put_number("session", session);
    pair_put("word", json_text_at(plan, "session_prepare"));
    pair_put("end", "");
}

// The step that measures a cell, in its working folder.
static void put_cell(const struct drive *drive, size_t index)
{
    char folder[PATH_MAX], file[PATH_MAX];
    const char *const words[] = {"slowdown",
                                 "--quiet",
                                 "--resume",
                                 "--cell",
                                 drive_cell_path(drive, index, "cell.json", file),
                                 "--output",
                                 drive_cell_path(drive, index, "", folder)};
    pair_put("step", drive_cell_name(drive, index));
    pair_put("folder", drive->scratch.path);
    pair_put("session", "");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        pair_put("word", words[i]);
    pair_put("end", "");
}

static void answer_next(struct drive *drive)
{
    for (; drive->next < drive->states->count; drive->next++) {
        const size_t index = drive->next;
        if (!drive->states->list[index].todo)
            continue;
        if (cell_is_held(drive->campaign->folder, drive_cell_name(drive, index))) {
            progress_clear(drive);
            complain("%s is being measured by another jostle: skipped",
                     drive_cell_name(drive, index));
            drive->held++;
            continue;
        }
        const unsigned session = session_of(drive->states->list[index].cell);
        if (needs_preparation(drive, session)) {
            progress_clear(drive);
            put_session(drive->campaign->plan, drive->session = session);
            return;
        }
        if (drive->full || !begin_cell(drive, index)) {
            pair_put("stuck", "1");
            return;
        }
        drive->next++;
        progress_begin(drive, index);
        put_cell(drive, index);
        return;
    }
    // That it is full has been said, also where it was the last cell.
    pair_put_flag("stuck", drive->full);
    put_number("failed", drive->failed);
    put_number("broken", drive->broken);
    put_number("held", drive->held);
}

// ---- the dialogue

// Waits for a command, and draws the bar meanwhile. False: the shell is gone.
static bool next_command(const struct drive *drive, char **line, size_t *size)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int ready;
    while ((ready = poll(&input, 1, drive->terminal ? TICK_MS : -1)) == 0 ||
           (ready < 0 && errno == EINTR))
        progress_draw(drive);
    // A command is a line, and waits for its answer: nothing is left in the buffer.
    return ready > 0 && getline(line, size, stdin) > 0;
}

static bool obey(struct drive *drive, const char *line)
{
    const char *status = text_after(line, "ended ");
    if (strcmp(line, "next\n") == 0)
        answer_next(drive);
    else if (strcmp(line, "prepared\n") == 0)
        end_preparation(drive);
    else if (status && drive->measuring)
        drive_end_cell(drive, (int)strtol(status, NULL, 10));
    else
        return complain("campaign run: unknown command %.20s: see harness/campaign/campaign.h",
                        line);
    pair_put("over", "");
    return fflush(stdout) == 0;
}

static bool drive(const struct campaign *campaign)
{
    const char *term = getenv("TERM");
    const struct states *states = &campaign->states;
    struct drive drive = {.campaign = campaign,
                          .states = states,
                          .terminal = !campaign->quiet && isatty(STDERR_FILENO) && term &&
                                      strcmp(term, "dumb") != 0,
                          .waiting = must(calloc(states->count + 1, sizeof(bool)))};
    OWNED char *line = NULL;
    size_t size = 0;
    bool obeyed = true;
    // What a terminal sends to all of us is the shell's to answer: we end with it.
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++)
        signal(ending[i], SIG_IGN);
    means_of(states, &drive.means);
    for (size_t i = 0; i < states->count; i++) {
        drive.waiting[i] = states->list[i].todo;
        drive.finished += !states->list[i].todo;
        drive.failed += !states->list[i].todo && state_is(&states->list[i], "failed");
    }
    while (obeyed && next_command(&drive, &line, &size))
        obeyed = obey(&drive, line);
    // The shell was killed: what still uses the folder removes it itself, or the next
    // session does.
    if (drive.measuring && !cell_is_held(campaign->folder, drive_cell_name(&drive, drive.current)))
        scratch_remove(&drive.scratch);
    progress_clear(&drive);
    means_free(&drive.means);
    free(drive.waiting);
    return obeyed;
}

// Prints "ready" and how many cells are to be measured, then obeys.
int command_run(struct campaign *campaign)
{
    size_t todo = 0;
    if (!campaign->scratch || !campaign->stderr_path || (campaign->conf && !campaign->file))
        usage_error("campaign run needs --scratch and --stderr, and --file with --conf");
    // Whoever shares the folder would build while others measure.
    if (campaign->shared && json_text_at(campaign->plan, "session_prepare"))
        return !complain("session-prepare cannot run while others measure cells (--cells, jostle "
                         "submit): prepare each session yourself, and take it out of the file");
    if (!folder_hold(campaign->folder, campaign->shared) ||
        (campaign->conf && !folder_keep_plan(campaign)))
        return 1;
    campaign->states = states_read(campaign->folder, campaign->chosen, campaign->retry_failed);
    for (size_t i = 0; i < campaign->states.count; i++)
        todo += campaign->states.list[i].todo;
    OWNED char *text = text_of("%zu", todo);
    pair_put("ready", text);
    pair_put("over", "");
    return print_end() == 0 && drive(campaign) ? 0 : 1;
}

#include "campaign.h"
#include "harness/experiment/settings.h"
#include "harness/stats/effect.h"

#include "common/file.h"
#include "common/lock.h"
#include "common/own_file.h"
#include "common/save.h"
#include "common/schemas.h"
#include "common/text.h"
#include "common/units.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STATUS_FORMAT (JSON_COMPACT | JSON_REAL_PRECISION(9))

enum { TICK_MS = 1000, REASON_SIZE = 1024, SPACE_BYTES = 65536 };
enum { BAR_WIDTH = 20, COLUMNS = 80, LINE_SIZE = 1024, TEXT_SIZE = 256, DURATION_SIZE = 32 };
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
    const struct campaign *campaign;
    const struct states *states;
    struct scratch scratch;
    size_t next;      // index of the cell to look at next
    bool full;        // nothing can be written any more
    size_t failed;    // cells whose target failed
    size_t broken;    // cells that could not be measured
    size_t held;      // cells that another jostle measures
    unsigned session; // that was prepared last, or is being prepared; 0: none
    // Where the campaign is: a bar on a terminal, a line a cell in a log. While a cell is measured,
    // all that happens is one look at its status.json a second, and that only where there is a
    // terminal.
    bool terminal;
    size_t finished;
    size_t current; // index of the cell that is being measured
    bool measuring;
    double since_s; // when it began
    struct means means;
    bool *waiting; // is it still to be measured
};

static const char *name_of(const struct drive *drive, size_t index)
{
    return drive->states->list[index].cell_name;
}

// A file of a cell, or with "" its folder.
static const char *path_of(const struct drive *drive, size_t index, const char *file,
                           char path[PATH_MAX])
{
    return cell_path(drive->campaign->folder, name_of(drive, index), file, path);
}

// Takes the bar away.
static void bar_clear(const struct drive *drive)
{
    if (drive->terminal)
        fputs("\r\033[K", stderr);
}

// "12 s", "5 min", "3 h 07 min"; returns text.
static const char *duration_text(double seconds, char *text, size_t size)
{
    if (seconds < 100)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 6000)
        snprintf(text, size, "%.0f min", seconds / 60);
    else
        snprintf(text, size, "%.0f h %02d min", floor(seconds / 3600),
                 (int)(fmod(seconds, 3600) / 60));
    return text;
}

// Whether a slowdown is one that was requested, by a load. Old records, and those of no metric
// but wall time, have that of wall time.
static bool is_wanted(const json_t *slowdown)
{
    const char *metric = json_text_at(slowdown, "metric"),
               *load = json_text_at(slowdown, "condition");
    const json_t *requested = json_object_get(slowdown, "requested");
    if (!metric || !load || strcmp(load, "aa") == 0)
        return false;
    return json_is_boolean(requested) ? json_is_true(requested) : strcmp(metric, "wall_s") == 0;
}

static void put_slowdown(const json_t *slowdown, char *text, size_t size)
{
    const json_t *ci = json_object_get(slowdown, "ci");
    const double ratio = number_of(slowdown, "ratio", NAN);
    const enum effect effect =
        effect_named(json_text_at(json_object_get(slowdown, "judgement"), "effect"));
    const double low = json_is_array(ci) ? json_number_value(json_array_get(ci, 0)) : NAN;
    const double high = json_is_array(ci) ? json_number_value(json_array_get(ci, 1)) : NAN;
    char bounds[2 * NUMBER_SIZE] = "";
    if (json_is_array(ci))
        snprintf(bounds, sizeof bounds, " [%.3f, %.3f]", low, high);
    snprintf(text, size, "slowdown %.3f%s%s", ratio, bounds,
             effect < EFFECTS ? effect_remarks[effect] : "");
}

static void put_figure(const json_t *result, const json_t *condition, char *text, size_t size)
{
    // The first metric that decides, where the program prints it; else wall time.
    const json_t *decide = json_object_get(json_object_get(result, "settings"), "decide");
    const char *name = json_string_value(json_array_get(decide, 0));
    const json_t *figure = json_object_get(json_object_get(condition, "metrics"), name);
    if (!figure) {
        name = NULL;
        figure = json_object_get(condition, "wall_s");
    }
    const char *unit = name ? json_text_or_empty(figure, "unit") : "s";
    const double relative = 100 * number_of(figure, "error", NAN);
    char mean[NUMBER_SIZE], error[NUMBER_SIZE];
    number_scaled(number_of(figure, "mean", name ? NAN : 0), unit, mean);
    const int used = snprintf(text, size, "%s%s%s", name ? name : "", name ? " " : "", mean);
    if (!isnan(relative) && used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", error %s %%",
                 number_fixed(relative, number_decimals(relative), error));
}

static void put_runs(const json_t *result, const json_t *conditions, char *text, size_t size)
{
    double runs = 0;
    bool converged = true;
    JSON_EACH (condition, conditions) {
        runs += number_of(condition, "runs", 0);
        converged = converged && json_is_true(json_object_get(condition, "converged"));
    }
    // A single run on purpose, such as a series, cannot.
    converged = converged || number_of(json_object_get(result, "settings"), "max_runs", NAN) == 1;
    snprintf(text, size, ", %.0f run%s%s", runs, runs == 1 ? "" : "s",
             converged ? "" : ", not converged");
}

// What is said of each of a list of results that was requested, with semicolons between; "" where
// none was: of slowdowns, or of the comparisons of variants, all of which are in old records.
static void put_each(const json_t *list, bool slowdowns, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    JSON_EACH (one, list) {
        if (slowdowns ? !is_wanted(one) : json_is_false(json_object_get(one, "requested")))
            continue;
        if (used > 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, "; ");
        if (used >= size)
            break;
        if (slowdowns && json_text_is(one, "metric", "wall_s"))
            put_slowdown(one, text + used, size - used);
        else
            snprintf(text + used, size - used, "%s", json_text_or_empty(one, "text"));
        used += strlen(text + used);
    }
}

// What came out of a cell, in a line: "slowdown 1.370 [1.350, 1.390], 24 runs", or what is
// said of the metrics that were requested, or of the variants, from its result.json; "done"
// where that cannot be read. Returns text.
static const char *outcome_text(const char *result_path, char *text, size_t size)
{
    json_auto_t *result = json_read_record(result_path, 0, NULL);
    const json_t *conditions = json_object_get(result, "conditions");
    put_each(json_object_get(result, "comparisons"), false, text, size);
    if (text[0] == '\0')
        put_each(json_object_get(result, "slowdowns"), true, text, size);
    if (text[0] == '\0' && json_array_size(conditions) > 0)
        put_figure(result, json_array_get(conditions, 0), text, size);
    else if (text[0] == '\0')
        snprintf(text, size, "done");
    if (json_array_size(conditions) > 0)
        put_runs(result, conditions, text + strlen(text), size - strlen(text));
    return text;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// How far the current cell is; returns the seconds that it still takes, or NAN.
static double current_text(const struct drive *drive, char *text, size_t size)
{
    char path[PATH_MAX];
    json_auto_t *status =
        json_read_record(path_of(drive, drive->current, "status.json", path), 0, NULL);
    const double runs = number_of(status, "runs", 0), error = number_of(status, "error", NAN);
    text[0] = '\0';
    if (!json_text_is(status, "state", "running"))
        return NAN;
    if (isnan(error))
        snprintf(text, size, ": %.0f runs", runs);
    else
        snprintf(text, size, ": %.0f runs, error %.1f %% of %.1f %%", runs, 100 * error,
                 100 * number_of(status, "asked_error", NAN));
    return rest_of_cell(status);
}

// Draws the bar, where there is a terminal.
static void bar_draw(const struct drive *drive)
{
    static const char full[] = "####################", empty[] = "....................";
    char line[LINE_SIZE], now[TEXT_SIZE], left[DURATION_SIZE];
    if (!drive->terminal || !drive->measuring)
        return;
    const size_t total = drive->states->count;
    const int done = (int)(drive->finished * BAR_WIDTH / total);
    double seconds = current_text(drive, now, sizeof now);
    if (isnan(seconds))
        seconds = fmax(mean_of_target(&drive->means, drive->states->list[drive->current].cell) -
                           (now_s() - drive->since_s),
                       0);
    // And the cells behind the current one.
    for (size_t i = 0; i < total; i++)
        if (drive->waiting[i] && i != drive->current)
            seconds += mean_of_target(&drive->means, drive->states->list[i].cell);
    snprintf(line, sizeof line, "[%.*s%.*s] %zu/%zu %s%s%s%s%s", done, full, BAR_WIDTH - done,
             empty, drive->finished, total, name_of(drive, drive->current), now,
             isnan(seconds) ? "" : ", about ",
             isnan(seconds) ? "" : duration_text(seconds, left, sizeof left),
             isnan(seconds) ? "" : " left");
    struct winsize window;
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
    fprintf(stderr, "\r\033[K%.*s", (known ? window.ws_col : COLUMNS) - 1, line);
}

// Says what became of the current cell. reason may be "".
static void say_ended(struct drive *drive, const char *state, const char *reason)
{
    const double seconds = now_s() - drive->since_s;
    const bool done = strcmp(state, "done") == 0;
    char text[LINE_SIZE], path[PATH_MAX], duration[DURATION_SIZE];
    drive->measuring = false;
    drive->waiting[drive->current] = false;
    drive->finished += strcmp(state, "interrupted") != 0;
    if (done)
        means_add(&drive->means, drive->states->list[drive->current].cell, seconds);
    if (drive->campaign->quiet && done)
        return;
    if (done)
        outcome_text(path_of(drive, drive->current, "result.json", path), text, sizeof text);
    else
        snprintf(text, sizeof text, "%s%s%s", state, reason[0] ? ": " : "", reason);
    bar_clear(drive);
    const int digits = snprintf(NULL, 0, "%zu", drive->states->count);
    fprintf(stderr, "%*zu/%zu %s: %s (%s)\n", digits, drive->finished, drive->states->count,
            name_of(drive, drive->current), text,
            duration_text(seconds, duration, sizeof duration));
}

// Writes a file of a cell.
static bool save_json(const char *path, const json_t *record, size_t flags)
{
    OWNED char *text = must(json_dumps(record, flags));
    return save_text(path, text, SAVE_STATE);
}

// From errno.
static bool say_unwritable(const char *path)
{
    const int error = errno;
    return complain("%s cannot be written to (%s): %s; then run the same command again, it "
                    "continues from here",
                    path, strerror(error), save_advice_at(error, path));
}

// --- the next cell

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
    json_auto_t *cell = must(json_pack("{ss so}", "schema", SCHEMA_CELL, "loads", loads));
    json_object_update(cell, (json_t *)planned);
    return save_json(path_of(drive, index, "cell.json", path), cell, JSON_INDENT(1));
}

static bool begin_cell(struct drive *drive, size_t index)
{
    char path[PATH_MAX];
    path_of(drive, index, "", path);
    if (!put_away(drive, index) || !save_make_folder(path, NULL) || !file_is_own_folder(path) ||
        !write_cell(drive, index))
        return say_unwritable(path);
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
        say_unwritable(marker);
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
                                 path_of(drive, index, "cell.json", file),
                                 "--output",
                                 path_of(drive, index, "", folder)};
    pair_put("step", name_of(drive, index));
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
        if (cell_is_held(drive->campaign->folder, name_of(drive, index))) {
            bar_clear(drive);
            complain("%s is being measured by another jostle: skipped", name_of(drive, index));
            drive->held++;
            continue;
        }
        const unsigned session = session_of(drive->states->list[index].cell);
        if (needs_preparation(drive, session)) {
            bar_clear(drive);
            put_session(drive->campaign->plan, drive->session = session);
            return;
        }
        if (drive->full || !begin_cell(drive, index)) {
            pair_put("stuck", "1");
            return;
        }
        drive->next++;
        drive->current = index;
        drive->measuring = true;
        drive->since_s = now_s();
        bar_draw(drive);
        put_cell(drive, index);
        return;
    }
    // That it is full has been said, also where it was the last cell.
    pair_put_flag("stuck", drive->full);
    put_number("failed", drive->failed);
    put_number("broken", drive->broken);
    put_number("held", drive->held);
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
    FILE *file = fopen(drive->campaign->stderr_path, "re");
    if (!file)
        return;
    while ((size = fread(text, 1, sizeof text, file)) > 0) {
        bar_clear(drive);
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
    json_auto_t *status = json_read_record(path_of(drive, index, "status.json", path), 0, NULL);
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
    if (!save_json(path_of(drive, index, "status.json", path), must(status), STATUS_FORMAT))
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
    json_auto_t *status = json_read_record(path_of(drive, index, "status.json", path), 0, NULL);
    const char *said = json_text_at(status, "reason");
    if (said && strcmp(said, reason) != 0 &&
        json_object_set_new(status, "reason", json_string(reason)) == 0 &&
        !save_json(path, status, STATUS_FORMAT))
        save_complain(path);
}

static void end_cell(struct drive *drive, int status)
{
    const size_t index = drive->current;
    const char *state = state_of_status(status);
    char reason[REASON_SIZE] = "", path[PATH_MAX], stderr_folder[PATH_MAX];
    // The process that was killed may be one that only waited for the measurement, which then still
    // ends in good order.
    for (int i = 0; status == KILLED && i < RELEASE_STEPS; i++) {
        if (!cell_is_held(drive->campaign->folder, name_of(drive, index)))
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
    say_ended(drive, state, reason);
    const char *full = strcmp(state, "interrupted") == 0 && status <= SIGNALLED
                           ? find_full(drive, stderr_folder)
                           : NULL;
    if (full) {
        drive->full = true;
        say_unwritable(full);
    }
}

// --- the dialogue

// Waits for a command, and draws the bar meanwhile. False: the shell is gone.
static bool next_command(const struct drive *drive, char **line, size_t *size)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int ready;
    while ((ready = poll(&input, 1, drive->terminal ? TICK_MS : -1)) == 0 ||
           (ready < 0 && errno == EINTR))
        bar_draw(drive);
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
        end_cell(drive, (int)strtol(status, NULL, 10));
    else
        return complain("campaign run: unknown command %.20s: see harness/campaign/campaign.h",
                        line);
    pair_put("over", "");
    return fflush(stdout) == 0;
}

bool drive(const struct campaign *campaign)
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
    if (drive.measuring && !cell_is_held(campaign->folder, name_of(&drive, drive.current)))
        scratch_remove(&drive.scratch);
    bar_clear(&drive);
    means_free(&drive.means);
    free(drive.waiting);
    return obeyed;
}

#include "calibration.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- keys ---- */

void calibration_key(struct calibration_key *key, const char *load)
{
    *key = (struct calibration_key){.load = load};
}

static struct calibration_part *add_part(struct calibration_key *key, const char *name, bool quoted)
{
    if (key->count == CALIBRATION_PARTS)
        abort();
    struct calibration_part *part = &key->parts[key->count++];
    *part = (struct calibration_part){.name = name, .quoted = quoted};
    return part;
}

void calibration_key_text(struct calibration_key *key, const char *name, const char *value)
{
    struct calibration_part *part = add_part(key, name, true);
    snprintf(part->value, sizeof part->value, "%s", value);
}

void calibration_key_count(struct calibration_key *key, const char *name, uint64_t value)
{
    struct calibration_part *part = add_part(key, name, false);
    snprintf(part->value, sizeof part->value, "%llu", (unsigned long long)value);
}

void calibration_key_flag(struct calibration_key *key, const char *name, bool value)
{
    struct calibration_part *part = add_part(key, name, false);
    snprintf(part->value, sizeof part->value, "%s", value ? "true" : "false");
}

static void add_field(struct line *line, const struct calibration_part *part)
{
    if (part->quoted)
        line_text(line, part->name, part->value);
    else
        line_raw(line, part->name, part->value);
}

static void host_name(char *host, size_t size)
{
    memset(host, 0, size);
    gethostname(host, size - 1);
}

/* ---- the little of JSON that our own records need ---- */

const char *calibration_value(const char *from, const char *name)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", name);
    const char *at = from == NULL ? NULL : strstr(from, quoted);
    if (at == NULL)
        return NULL;
    at += strlen(quoted);
    return at + strspn(at, " \t\n");
}

double calibration_number(const char *from, const char *name)
{
    const char *at = calibration_value(from, name);
    char *end;
    if (at == NULL)
        return NAN;
    const double value = strtod(at, &end);
    return end == at ? NAN : value;
}

/* Whether the record has the part, written as we write it. */
static bool has_part(const char *text, const struct calibration_part *part)
{
    struct line line;
    line_open(&line);
    add_field(&line, part);
    const char *wanted = calibration_value(line.text, part->name);
    const char *at = calibration_value(text, part->name);
    const size_t length = wanted == NULL ? 0 : strlen(wanted);
    return at != NULL && length > 0 && strncmp(at, wanted, length) == 0 &&
           strchr(",} \t\n", at[length]) != NULL;
}

static bool has_text(const char *text, const char *name, const char *value)
{
    struct calibration_part part = {.name = name, .quoted = true};
    snprintf(part.value, sizeof part.value, "%s", value);
    return has_part(text, &part);
}

static bool fits(const char *text, const struct calibration_key *key)
{
    char host[256];
    host_name(host, sizeof host);
    if (!has_text(text, "schema", CALIBRATION_SCHEMA) || !has_text(text, "load", key->load) ||
        !has_text(text, "host", host))
        return false;
    for (unsigned i = 0; i < key->count; i++)
        if (!has_part(text, &key->parts[i]))
            return false;
    return true;
}

static double age_s(const char *text)
{
    const char *at = calibration_value(text, "created");
    struct tm when = {0};
    if (at == NULL || strptime(at, "\"%Y-%m-%dT%H:%M:%SZ\"", &when) == NULL)
        return NAN;
    return difftime(time(NULL), timegm(&when));
}

/* ---- options ---- */

int64_t calibration_length_ns(const struct run *run)
{
    int64_t length_ns = CALIBRATION_USUAL_NS;
    if (run->argument_count > 1)
        usage_error("%s: an argument too many: --calib takes SECONDS", run->arguments[1]);
    if (run->argument_count == 1 && (units_time(run->arguments[0], &length_ns) != 0 ||
                                     length_ns < 500000000 || length_ns > 86400000000000))
        usage_error("--calib %s: not a time: give 0.5 to 86400 seconds", run->arguments[0]);
    return length_ns;
}

void calibration_check_options(const struct run *run, bool calib)
{
    if (calib && (run->common.control || run->common.limit != NULL))
        usage_error("--calib measures without a limit, and by itself: leave out --control and "
                    "--limit");
    if (run->argument_count > 0 && !calib)
        usage_error("%s: an argument too many: only --calib takes SECONDS", run->arguments[0]);
}

/* ---- where they are ---- */

static int kept_folder(char path[PATH_MAX])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length;
    if (cache != NULL && *cache == '/')
        length = snprintf(path, PATH_MAX, "%s/jostle/calibration", cache);
    else
        length = snprintf(path, PATH_MAX, "%s/.cache/jostle/calibration",
                          home != NULL && *home != '\0' ? home : "");
    return length < PATH_MAX ? 0 : -1;
}

/* Appends ".VALUE" with everything odd in it as one underscore. */
static void append_part(char *name, size_t size, const char *value)
{
    size_t used = strlen(name);
    bool odd = false;
    if (used > 0 && used + 1 < size)
        name[used++] = '.';
    for (; *value != '\0' && used + 1 < size; value++) {
        const bool plain = isalnum((unsigned char)*value) || *value == '_' || *value == '-';
        if (plain || !odd)
            name[used++] = '_';
        if (plain)
            name[used - 1] = *value;
        odd = !plain;
    }
    name[used] = '\0';
}

/* What a part is called in a file's name: its value; a flag by its own name, or not. */
static const char *part_name(const struct calibration_part *part)
{
    if (!part->quoted && strcmp(part->value, "true") == 0)
        return part->name;
    return !part->quoted && strcmp(part->value, "false") == 0 ? NULL : part->value;
}

/* "HOST.PART.PART.mem.json"; a name too long for a file system is cut off before
 * the load. */
static void entry_name(const struct calibration_key *key, char name[NAME_MAX + 1])
{
    char host[256], stem[NAME_MAX - 32] = "";
    host_name(host, sizeof host);
    append_part(stem, sizeof stem, host);
    for (unsigned i = 0; i < key->count; i++)
        if (part_name(&key->parts[i]) != NULL)
            append_part(stem, sizeof stem, part_name(&key->parts[i]));
    snprintf(name, NAME_MAX + 1, "%s.%.20s.json", stem, key->load);
}

/* As mkdir -p. */
static int make_folder(const char *path)
{
    char partial[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(partial, sizeof partial, "%.*s", (int)(slash - path), path);
        if (mkdir(partial, 0777) != 0 && errno != EEXIST)
            return -1;
    }
    return mkdir(path, 0777) != 0 && errno != EEXIST ? -1 : 0;
}

/* ---- writing ---- */

void calibration_begin(struct line *line, const char *load)
{
    char host[256], created[32];
    const time_t now = time(NULL);
    struct tm when;
    host_name(host, sizeof host);
    strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &when));
    line_open(line);
    line_text(line, "schema", CALIBRATION_SCHEMA);
    line_text(line, "load", load);
    line_text(line, "created", created);
    line_text(line, "host", host);
}

void calibration_write_key(struct line *line, const struct calibration_key *key)
{
    for (unsigned i = 0; i < key->count; i++)
        add_field(line, &key->parts[i]);
}

/* Writes and closes; 0, or -1 with errno. */
static int write_line(int fd, const struct line *line)
{
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (file == NULL)
        return -1;
    const bool written = fprintf(file, "%s\n", line->text) > 0;
    return fclose(file) == 0 && written ? 0 : -1;
}

static int write_file(const char *path, const struct line *line)
{
    if (write_line(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), line) == 0)
        return 0;
    complain("--calibration %s: %s: name a file that can be written", path, strerror(errno));
    return 1;
}

/* By rename, so that nobody ever reads half of it. */
static int write_entry(struct run *run, const struct calibration_key *key, const struct line *line)
{
    char folder[PATH_MAX], name[NAME_MAX + 1], temporary[PATH_MAX + 32],
        path[PATH_MAX + NAME_MAX + 2];
    int failed = kept_folder(folder);
    if (failed == 0)
        failed = make_folder(folder);
    snprintf(temporary, sizeof temporary, "%s/.calib.XXXXXX", folder);
    entry_name(key, name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int fd = failed == 0 ? mkostemp(temporary, O_CLOEXEC) : -1;
    failed = write_line(fd, line);
    if (failed == 0)
        failed = rename(temporary, path);
    if (failed != 0) {
        complain("cannot keep the calibration in %s: %s: set XDG_CACHE_HOME to another folder, or "
                 "name a file with --calibration",
                 folder, strerror(errno));
        if (fd >= 0)
            unlink(temporary);
        return 1;
    }
    report_print(&run->report, "\nkept as %.900s\n", path);
    return 0;
}

int calibration_keep(struct run *run, const struct calibration_key *key, const struct line *line,
                     const char *file)
{
    if (run->report.json)
        report_write(&run->report, line);
    const int status = file != NULL ? write_file(file, line) : write_entry(run, key, line);
    return run->report.broken ? 1 : status;
}

/* ---- reading ---- */

/* The whole file, or NULL; to be freed. */
static char *read_entry(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = file == NULL ? NULL : calloc(1, CALIBRATION_LONGEST + 1);
    const bool read = text != NULL && fread(text, 1, CALIBRATION_LONGEST, file) > 0;
    if (file != NULL)
        fclose(file);
    if (read)
        return text;
    free(text);
    return NULL;
}

/* Takes `path` if it fits and is newer than what was found before. */
static void consider(const struct calibration_query *query, const char *path,
                     struct calibration_found *found)
{
    char *text = read_entry(path);
    if (text == NULL)
        return;
    double rate = NAN;
    if (fits(text, query->key))
        rate = query->read != NULL ? query->read(text, query->context)
                                   : calibration_number(text, "rate");
    const double age = age_s(text);
    if (rate > 0 && isfinite(rate) && !isnan(age) &&
        (found->path[0] == '\0' || age < found->age_s)) {
        found->rate = rate;
        found->age_s = age;
        snprintf(found->path, sizeof found->path, "%s", path);
    }
    free(text);
}

static void search(const struct calibration_query *query, struct calibration_found *found)
{
    char folder[PATH_MAX], ending[32];
    DIR *entries = kept_folder(folder) == 0 ? opendir(folder) : NULL;
    const struct dirent *entry;
    if (entries == NULL)
        return;
    const int ending_length = snprintf(ending, sizeof ending, ".%.20s.json", query->key->load);
    while ((entry = readdir(entries)) != NULL) {
        char path[PATH_MAX];
        const size_t length = strlen(entry->d_name);
        const int whole = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (length > (size_t)ending_length && whole < (int)sizeof path &&
            strcmp(entry->d_name + length - (size_t)ending_length, ending) == 0)
            consider(query, path, found);
    }
    closedir(entries);
}

/* ---- percentages ---- */

static void format_age(double seconds, char *text, size_t size)
{
    if (seconds < 120)
        snprintf(text, size, "%.0f s", fmax(seconds, 0));
    else if (seconds < 7200)
        snprintf(text, size, "%.0f minutes", seconds / 60);
    else if (seconds < 2 * 86400)
        snprintf(text, size, "%.1f hours", seconds / 3600);
    else
        snprintf(text, size, "%.0f days", seconds / 86400);
}

static void announce(struct run *run, const struct calibration_query *query,
                     const struct calibration_found *found)
{
    char age[32], whole[48];
    format_age(found->age_s, age, sizeof age);
    if (found->age_s > CALIBRATION_OLD_S)
        run_warn(run, "the calibration %s is %s old: make a new one: %s", found->path, age,
                 query->make);
    if (!run->report.json)
        fprintf(stderr, "100%% is %s, calibrated %s ago (%s)\n",
                units_format_rate(found->rate, run->unit, whole, sizeof whole), age, found->path);
}

int calibration_percent(struct run *run, const struct calibration_query *query, double percent,
                        struct calibration_found *found, double *rate, char *error, size_t size)
{
    *found = (struct calibration_found){0};
    if (percent > CALIBRATION_MOST) {
        snprintf(error, size, "%g%%: more than anybody could mean: give %g%% or less", percent,
                 CALIBRATION_MOST);
        return -1;
    }
    if (query->file == NULL) {
        search(query, found);
        snprintf(error, size, "no calibration of this yet: make one: %s", query->make);
    } else if (access(query->file, R_OK) != 0) {
        snprintf(error, size, "--calibration %.200s: %s", query->file, strerror(errno));
    } else {
        consider(query, query->file, found);
        snprintf(error, size, "--calibration %.200s: is not for %s", query->file, query->what);
    }
    if (found->path[0] == '\0')
        return -1;
    announce(run, query, found);
    *rate = found->rate * percent / 100;
    return 0;
}

void calibration_describe(struct line *line, const struct calibration_found *found)
{
    if (found->path[0] == '\0')
        return;
    line_text(line, "calibration", found->path);
    line_real(line, "calibration_age_s", found->age_s);
}

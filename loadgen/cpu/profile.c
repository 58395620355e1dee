// Recorded profiles of CPU load: read from a file, checked, and asked for their demand.

#include "cpu/profile.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_CORES 4096
#define MOST_SPANS 10000000
// A recorder may round up; more than this is not a share of a core.
#define MOST_SHARE 1.05
#define DAY_MS     86400000.0
#define MOST_MS    (366 * DAY_MS) // of a profile
#define STATIC_MS  1000           // of a load that does not change

// What is known while lines are read.
struct reader {
    struct profile *profile;
    size_t capacity;     // spans that fit in the arrays
    double *time_ms;     // as written, for each span
    size_t times, loads; // how many of each have been read
    bool has_stamps;     // the times are of moments, not of lengths
    double length;       // as the file says; -1: it does not
    double full_core;    // the load that means a whole core: 1, or 100 in percent
    const char *mistake;
};

static bool refuse(struct reader *reader, const char *mistake)
{
    reader->mistake = mistake;
    return false;
}

static bool make_room(struct reader *reader)
{
    struct profile *profile = reader->profile;
    if (reader->times < reader->capacity && reader->loads < reader->capacity)
        return true;
    const size_t capacity = reader->capacity == 0 ? 256 : reader->capacity * 2;
    if (capacity > MOST_SPANS)
        return refuse(reader, "too long");
    double *times = reallocarray(reader->time_ms, capacity, sizeof *times);
    if (times)
        reader->time_ms = times;
    double *loads = reallocarray(profile->load, capacity * profile->cores, sizeof *loads);
    if (loads)
        profile->load = loads;
    if (!times || !loads)
        return refuse(reader, "too long for the memory there is");
    reader->capacity = capacity;
    return true;
}

static bool scan_real(const char **text, double *value)
{
    char *end = NULL;
    while (**text == ' ' || **text == '\t' || **text == ',')
        (*text)++;
    if (!(**text >= '0' && **text <= '9') && **text != '.' && **text != '-')
        return false;
    *value = strtod(*text, &end);
    if (end == *text || !isfinite(*value))
        return false;
    *text = end;
    return true;
}

static bool take_cores(struct reader *reader, const char **text)
{
    double cores;
    if (!scan_real(text, &cores) || cores < 1 || cores > MOST_CORES || cores != floor(cores))
        return refuse(reader, "not a number of cores");
    if (reader->profile->cores != 0)
        return refuse(reader, "a second number of cores");
    reader->profile->cores = (unsigned)cores;
    return true;
}

static bool take_time(struct reader *reader, const char **text)
{
    if (reader->profile->cores == 0)
        return refuse(reader, "a time before the number of cores");
    if (reader->times != reader->loads)
        return refuse(reader, "a second time without a load");
    if (!make_room(reader))
        return false;
    if (!scan_real(text, &reader->time_ms[reader->times]) || reader->time_ms[reader->times] < 0)
        return refuse(reader, "not a time");
    reader->times++;
    *text += strspn(*text, " \t");
    if (strncmp(*text, "ms", 2) == 0)
        *text += 2;
    return true;
}

static bool take_load(struct reader *reader, const char **text)
{
    struct profile *profile = reader->profile;
    if (reader->times != reader->loads + 1)
        return refuse(reader, "a load without a time");
    for (unsigned core = 0; core < profile->cores; core++) {
        double load;
        if (!scan_real(text, &load))
            return refuse(reader, "fewer loads than cores");
        const double share = load / reader->full_core;
        if (share < 0 || share > MOST_SHARE)
            return refuse(reader, reader->full_core > 1
                                      ? "a load outside of 0 to 100 percent"
                                      : "a load outside of 0 to 1: in this format loads are "
                                        "fractions of a core: divide percentages by 100");
        profile->load[reader->loads * profile->cores + core] = fmin(share, 1);
    }
    reader->loads++;
    double more;
    return scan_real(text, &more) ? refuse(reader, "more loads than cores") : true;
}

// Moves *text behind word; false when it is not there.
static bool skip_word(const char **text, const char *word)
{
    *text += strspn(*text, " \t/,;");
    if (strncmp(*text, word, strlen(word)) != 0)
        return false;
    *text += strlen(word);
    return true;
}

// Any of "cores: N", "length: N", "time: T ms", "load: a b c" in one line.
static bool take_text_line(struct reader *reader, const char *text)
{
    for (;;) {
        bool taken = true;
        text += strspn(text, " \t/,;\r\n");
        if (*text == '\0' || *text == '#')
            return true;
        if (skip_word(&text, "cores:"))
            taken = take_cores(reader, &text);
        else if (skip_word(&text, "length:"))
            taken = scan_real(&text, &reader->length) || refuse(reader, "not a length");
        else if (skip_word(&text, "time:"))
            taken = take_time(reader, &text);
        else if (skip_word(&text, "load:"))
            taken = take_load(reader, &text);
        else
            return refuse(reader, "a line begins with cores, length, time or load, and a colon");
        if (!taken)
            return false;
        if (skip_word(&text, "ms") && *text != '\0') // length: 3000 ms
            continue;
    }
}

// The place behind "name": in a JSON object, or NULL. A text of that name, such as a program's, is
// not a member: no colon follows it.
static const char *find_member(const char *text, const char *name)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\"", name);
    for (const char *found = text; (found = strstr(found, quoted)) != NULL;) {
        found += strlen(quoted);
        const char *colon = found + strspn(found, " \t");
        if (*colon == ':')
            return colon + 1 + strspn(colon + 1, " \t");
    }
    return NULL;
}

static bool take_json_line(struct reader *reader, const char *text)
{
    const char *cores = find_member(text, "cores");
    const char *unit = find_member(text, "unit");
    const char *time = find_member(text, "time_ms");
    const char *load = find_member(text, "load");
    if (find_member(text, "event"))
        return true; // the summary of the recording
    if (cores) {     // loads are in percent, also where the recording is too old to say so
        reader->full_core = unit && strncmp(unit, "\"fraction\"", 10) == 0 ? 1 : 100;
        return take_cores(reader, &cores) &&
               (reader->full_core == 1 || !unit || strncmp(unit, "\"percent\"", 9) == 0 ||
                refuse(reader, "a unit that is neither \"percent\" nor \"fraction\""));
    }
    if (!time || !load || *load != '[')
        return refuse(reader, "neither \"cores\" nor \"time_ms\" with \"load\": [...]");
    load++;
    return take_time(reader, &time) && take_load(reader, &load);
}

// Turns times as written into ends of spans; see profile.h.
static bool set_ends(struct reader *reader)
{
    const double *time_ms = reader->time_ms;
    const size_t count = reader->loads;
    bool stamps = true;
    for (size_t i = 1; i < count; i++)
        stamps = stamps && time_ms[i] > time_ms[i - 1];
    reader->has_stamps = stamps && count > 1;
    const double step_ms = count > 1 ? time_ms[1] - time_ms[0] : time_ms[0];
    // Stamps may count from a boot or an epoch long ago.
    const double offset_ms = time_ms[0] > 2 * step_ms ? time_ms[0] - step_ms : 0;
    double *end_ms = calloc(count, sizeof *end_ms);
    double sum_ms = 0;
    if (!end_ms)
        return refuse(reader, "too long for the memory there is");
    reader->profile->end_ms = end_ms;
    if (count == 1 && time_ms[0] > DAY_MS) { // a stamp alone says when, not how long
        end_ms[0] = STATIC_MS;
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        sum_ms += time_ms[i];
        if (!stamps || count == 1)
            end_ms[i] = sum_ms;
        else if (time_ms[0] <= 0)
            end_ms[i] = i + 1 < count ? time_ms[i + 1] : 2 * time_ms[i] - time_ms[i - 1];
        else
            end_ms[i] = time_ms[i] - offset_ms;
        if (end_ms[i] <= (i == 0 ? 0 : end_ms[i - 1]))
            return refuse(reader, "a span of no length");
    }
    return end_ms[count - 1] <= MOST_MS ||
           refuse(reader,
                  "longer than a year in all: its times are neither lengths nor stamps that rise");
}

static bool finish(struct reader *reader)
{
    if (reader->times != reader->loads)
        return refuse(reader, "the last time has no load");
    if (reader->loads == 0)
        return refuse(reader, "no load in it");
    reader->profile->spans = reader->loads;
    if (!set_ends(reader))
        return false;
    // The length is a number of spans, or ms. Stamps may be those of beginnings or of ends, which
    // differ by a span; lengths of spans are off by rounding alone.
    const double end_ms = reader->profile->end_ms[reader->loads - 1];
    const double span_ms = end_ms / (double)reader->loads;
    const double slack_ms = reader->has_stamps ? span_ms : span_ms / 100;
    if (reader->length >= 0 && reader->length != (double)reader->loads &&
        fabs(reader->length - end_ms) > slack_ms)
        return refuse(reader, "length: differs from what follows, so the file is not whole");
    return true;
}

int profile_read(FILE *file, struct profile *profile, char *error, size_t size)
{
    struct reader reader = {.profile = profile, .length = -1, .full_core = 1};
    char *text = NULL;
    size_t capacity = 0, line = 0;
    bool good = true;
    *profile = (struct profile){0};
    while (good && getline(&text, &capacity, file) >= 0) {
        const char *first = text + strspn(text, " \t");
        line++;
        good = *first == '{' ? take_json_line(&reader, first) : take_text_line(&reader, first);
    }
    free(text);
    if (good && ferror(file))
        good = refuse(&reader, strerror(errno));
    good = good && finish(&reader);
    free(reader.time_ms);
    if (good)
        return 0;
    snprintf(error, size, "line %zu: %s: see loadgen cpu --help for the format", line,
             reader.mistake);
    profile_free(profile);
    return -1;
}

void profile_free(struct profile *profile)
{
    free(profile->end_ms);
    free(profile->load);
    *profile = (struct profile){0};
}

// Where the profiles that came with jostle are: $JOSTLE_PROFILES, else beside this program's
// folder, in the source tree or where it is installed. "" where it cannot be found.
static void find_folder(char *folder, size_t size)
{
    // From build/bin, from build/sanitize/bin, and from PREFIX/bin.
    static const char *const places[] = {"/../../loadgen/profiles", "/../../../loadgen/profiles",
                                         "/../share/jostle/profiles"};
    char program[PATH_MAX], path[PATH_MAX + 32];
    const char *given = getenv("JOSTLE_PROFILES");
    snprintf(folder, size, "%s", given ? given : "");
    const ssize_t length = given ? 0 : readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return;
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0] && *folder == '\0'; i++) {
        snprintf(path, sizeof path, "%s%s", program, places[i]);
        char *real = realpath(path, NULL);
        if (real)
            snprintf(folder, size, "%s", real);
        free(real);
    }
}

FILE *profile_open(const char *name, char *folder, size_t size)
{
    static const char *const suffixes[] = {"", ".jsonl", ".txt"};
    char path[PATH_MAX];
    FILE *file = fopen(name, "re");
    find_folder(folder, size);
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (!file && *folder != '\0' && !strchr(name, '/') &&
            snprintf(path, sizeof path, "%s/%s%s", folder, name, suffixes[i]) < (int)sizeof path)
            file = fopen(path, "re");
    return file;
}

int track_make(struct track *track, const struct profile *profile, unsigned first, unsigned last,
               double speed)
{
    double end_ns = 0, used_ns = 0;
    *track = (struct track){.spans = profile->spans};
    track->end_ns = calloc(profile->spans, sizeof *track->end_ns);
    track->used_ns = calloc(profile->spans, sizeof *track->used_ns);
    if (!track->end_ns || !track->used_ns)
        return -1;
    for (size_t span = 0; span < profile->spans; span++) {
        double load = 0;
        for (unsigned core = first; core <= last; core++)
            load += profile->load[span * profile->cores + core];
        const double next_ns = profile->end_ms[span] * 1e6 / speed;
        used_ns += (next_ns - end_ns) * load / (last - first + 1);
        end_ns = next_ns;
        track->end_ns[span] = end_ns;
        track->used_ns[span] = used_ns;
    }
    return 0;
}

void track_free(struct track *track)
{
    free(track->end_ns);
    free(track->used_ns);
    *track = (struct track){0};
}

// y at x on the line through the points (xs[i], ys[i]), beginning at (0, 0).
static double interpolate(const double *xs, const double *ys, size_t count, double x)
{
    // The first index at which the rising values reach value.
    size_t low = 0, high = count - 1;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (xs[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    const size_t i = low;
    const double x0 = i == 0 ? 0 : xs[i - 1], y0 = i == 0 ? 0 : ys[i - 1];
    if (xs[i] <= x0)
        return y0;
    return y0 + (ys[i] - y0) * (fmin(x, xs[i]) - x0) / (xs[i] - x0);
}

double track_demand(const struct track *track, double after_ns)
{
    const double length_ns = track->end_ns[track->spans - 1];
    const double total_ns = track->used_ns[track->spans - 1];
    const double rounds = floor(fmax(after_ns, 0) / length_ns);
    const double rest_ns = fmax(after_ns, 0) - rounds * length_ns;
    return rounds * total_ns + interpolate(track->end_ns, track->used_ns, track->spans, rest_ns);
}

double track_when(const struct track *track, double used_ns)
{
    const double length_ns = track->end_ns[track->spans - 1];
    const double total_ns = track->used_ns[track->spans - 1];
    if (total_ns <= 0)
        return INFINITY;
    const double rounds = floor(fmax(used_ns, 0) / total_ns);
    const double rest_ns = fmax(used_ns, 0) - rounds * total_ns;
    return rounds * length_ns + interpolate(track->used_ns, track->end_ns, track->spans, rest_ns);
}

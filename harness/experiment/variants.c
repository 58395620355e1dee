#include "experiment.h"

#include "common/child.h"
#include "common/json.h"
#include "common/machine_json.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/sha256.h"
#include "common/template.h"
#include "common/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS  "0123456789"
// Of a name that is given, and of one that is made; @ comes before a load's.
#define GIVEN_CHARACTERS LETTERS DIGITS "._%-"
#define MADE_CHARACTERS  GIVEN_CHARACTERS "=,+"

const char *name_read(struct arena *arena, const char *text, const char **name)
{
    const size_t length = strspn(text, GIVEN_CHARACTERS);
    const bool named = length > 0 && text[length] == '=';
    *name = named ? arena_format(arena, "%.*s", (int)length, text) : NULL;
    return named ? text + length + 1 : text;
}

// How many bytes a name has at the beginning of a text: letters of any script, but nothing that is
// not seen, or looks like a blank.
static size_t made_length(const char *text)
{
    char character[8];
    const size_t good = strspn(text, MADE_CHARACTERS), length = utf8_length(text, strlen(text));
    if (good > 0 || length < 2)
        return good;
    snprintf(character, sizeof character, "%.*s", (int)length, text);
    OWNED char *visible = must(visible_copy(character));
    const bool blank = text_is_among(character, (const char *const[]){"\u00a0", "\u3000", NULL}) ||
                       (strncmp(character, "\u2000", 2) == 0 && character[2] <= "\u200a"[2]);
    return strcmp(visible, character) == 0 && !blank ? length : 0;
}

char *name_clean(struct arena *arena, const char *text)
{
    char *name = arena_format(arena, "%s", text), *to = name;
    for (const char *from = name; *from != '\0';) {
        const size_t good = made_length(from);
        memmove(to, from, good);
        to += good;
        from += good;
        if (good > 0 || *from == '\0')
            continue;
        while (*from != '\0' && made_length(from) == 0)
            from++;
        *to++ = '_';
    }
    *to = '\0';
    return name;
}

#define MOST_VALUES     1000
#define MOST_DIGITS     17 // so that every sum fits into 64 bits
#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

// mantissa / 10^decimals
struct decimal {
    int64_t mantissa;
    int decimals;
};

// MIN..MAX..STEP
struct scan {
    struct decimal from, to, step;
    bool has_step;
};

// "-0.25" of so many characters. False: it is no such number.
static bool read_decimal(const char *text, size_t length, struct decimal *decimal)
{
    const bool negative = length > 0 && text[0] == '-';
    int digits = 0, decimals = -1;
    *decimal = (struct decimal){0};
    for (size_t i = negative; i < length; i++) {
        if (text[i] == '.' && decimals < 0) {
            decimals = 0;
            continue;
        }
        if (text[i] < '0' || text[i] > '9' || ++digits > MOST_DIGITS)
            return false;
        decimal->mantissa = 10 * decimal->mantissa + (text[i] - '0');
        decimals += decimals >= 0;
    }
    decimal->mantissa = negative ? -decimal->mantissa : decimal->mantissa;
    decimal->decimals = decimals < 0 ? 0 : decimals;
    return digits > 0;
}

// With so many decimals, which are at least its own. False: it does not fit.
static bool scale_decimal(struct decimal *decimal, int decimals)
{
    for (; decimal->decimals < decimals; decimal->decimals++)
        if (__builtin_mul_overflow(decimal->mantissa, 10, &decimal->mantissa))
            return false;
    return true;
}

static const char *decimal_text(struct arena *arena, struct decimal decimal)
{
    uint64_t power = 1;
    const uint64_t size =
        decimal.mantissa < 0 ? 0 - (uint64_t)decimal.mantissa : (uint64_t)decimal.mantissa;
    for (int i = 0; i < decimal.decimals; i++)
        power *= 10;
    const char *sign = decimal.mantissa < 0 ? "-" : "";
    if (decimal.decimals == 0)
        return arena_format(arena, "%s%" PRIu64, sign, size);
    return arena_format(arena, "%s%" PRIu64 ".%0*" PRIu64, sign, size / power, decimal.decimals,
                        size % power);
}

// The length of a NAME in front of a =; 0: there is none.
static size_t name_length(const char *text)
{
    const size_t length = strspn(text, NAME_CHARACTERS);
    return text[length] == '=' ? length : 0;
}

// The numbers of "MIN..MAX" or "MIN..MAX..STEP".
static bool read_scan(const char *text, struct scan *scan)
{
    struct decimal *const numbers[] = {&scan->from, &scan->to, &scan->step};
    size_t count = 0;
    *scan = (struct scan){0};
    for (const char *at = text; at && count < 3; count++) {
        const char *end = strstr(at, "..");
        const size_t length = !end ? strlen(at) : (size_t)(end - at);
        if (!read_decimal(at, length, numbers[count]))
            return false;
        at = !end ? NULL : end + 2;
        if (count == 2 && at)
            return false;
    }
    scan->has_step = count == 3;
    return count >= 2;
}

bool parameters_check_list(const char *text, char *error, size_t size)
{
    snprintf(error, size, "not VAR VALUES: give a name and values, such as threads 1,2,4");
    return name_length(text) > 0;
}

bool parameters_check_scan(const char *text, char *error, size_t size)
{
    struct scan scan;
    const size_t length = name_length(text);
    snprintf(error, size, "not VAR MIN MAX: give a name and two numbers, such as threads 1 8");
    return length > 0 && read_scan(text + length + 1, &scan);
}

bool parameters_check_step(const char *text, char *error, size_t size)
{
    struct decimal step;
    snprintf(error, size, "not a step above 0: give one such as 2 or 0.5");
    return read_decimal(text, strlen(text), &step) && step.mantissa > 0;
}

static struct parameter *add_parameter(struct parameters *parameters, struct arena *arena,
                                       const char *text)
{
    const size_t length = name_length(text);
    const char *name = arena_format(arena, "%.*s", (int)length, text);
    for (size_t i = 0; i < parameters->count; i++)
        if (strcmp(parameters->parameter[i].name, name) == 0)
            usage_error("parameter %s: it is given twice: give all of its values at once", name);
    parameters->parameter =
        arena_more(arena, parameters->parameter, parameters->count, sizeof *parameters->parameter);
    struct parameter *parameter = &parameters->parameter[parameters->count++];
    parameter->name = name;
    return parameter;
}

static void add_value(struct parameter *parameter, struct arena *arena, const char *value)
{
    parameter->value =
        arena_more(arena, parameter->value, parameter->count, sizeof *parameter->value);
    parameter->value[parameter->count++] = value;
    if (parameter->count > MOST_VALUES)
        usage_error("parameter %s: more than %d values: give fewer, or larger steps",
                    parameter->name, MOST_VALUES);
}

// A value may have a comma behind a backslash, as hyperfine has it.
static void add_list(struct parameters *parameters, struct arena *arena, const char *text)
{
    struct parameter *parameter = add_parameter(parameters, arena, text);
    const char *from = text + strlen(parameter->name) + 1;
    char *value = arena_format(arena, "%s", from), *to = value;
    for (;; from++) {
        if (from[0] == '\\' && from[1] == ',') {
            *to++ = *++from;
            continue;
        }
        if (*from != ',' && *from != '\0') {
            *to++ = *from;
            continue;
        }
        *to = '\0';
        add_value(parameter, arena, arena_format(arena, "%s", value));
        if (*from == '\0')
            return;
        to = value;
    }
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// MIN is shown as it was given, what follows with the decimals of the sum.
static void add_scan(struct parameters *parameters, struct arena *arena, const char *text,
                     const char *step)
{
    struct parameter *parameter = add_parameter(parameters, arena, text);
    struct scan scan;
    read_scan(text + strlen(parameter->name) + 1, &scan);
    if (!scan.has_step && step)
        read_decimal(step, strlen(step), &scan.step);
    else if (!scan.has_step && scan.from.decimals == 0 && scan.to.decimals == 0)
        scan.step.mantissa = 1;
    else if (!scan.has_step)
        usage_error("--parameter-scan %s: steps of numbers with decimals need a size: give "
                    "--parameter-step-size",
                    text);
    const char *first = decimal_text(arena, scan.from);
    const int shown = larger(scan.from.decimals, scan.step.decimals);
    const int decimals = larger(shown, scan.to.decimals);
    if (!scale_decimal(&scan.from, decimals) || !scale_decimal(&scan.to, decimals) ||
        !scale_decimal(&scan.step, decimals))
        usage_error("--parameter-scan %s: too many digits: give shorter numbers", text);
    if (scan.step.mantissa <= 0 || scan.from.mantissa > scan.to.mantissa)
        usage_error("--parameter-scan %s: it has no values: give MIN, then a MAX that is not below "
                    "it, and a step above 0",
                    text);
    add_value(parameter, arena, first);
    for (struct decimal value = scan.from;
         !__builtin_add_overflow(value.mantissa, scan.step.mantissa, &value.mantissa) &&
         value.mantissa <= scan.to.mantissa;) {
        struct decimal shortened = value;
        for (; shortened.decimals > shown; shortened.decimals--)
            shortened.mantissa /= 10; // what goes are zeros
        add_value(parameter, arena, decimal_text(arena, shortened));
    }
}

void parameters_read(struct parameters *parameters, struct arena *arena,
                     const struct option_list *lists, const struct option_list *scans,
                     const char *step)
{
    *parameters = (struct parameters){.combinations = 1};
    for (size_t i = 0; i < lists->count; i++)
        add_list(parameters, arena, lists->item[i]);
    for (size_t i = 0; i < scans->count; i++)
        add_scan(parameters, arena, scans->item[i], step);
    if (step && scans->count == 0)
        usage_error("--parameter-step-size: of what? Give --parameter-scan VAR MIN MAX");
    for (size_t i = 0; i < parameters->count; i++)
        if (parameters->combinations <= MOST_VALUES)
            parameters->combinations *= parameters->parameter[i].count;
}

// The value that a parameter has in a combination; the first parameter changes fastest.
static const char *parameters_value(const struct parameters *parameters, size_t combination,
                                    size_t parameter)
{
    for (size_t i = 0; i < parameter; i++)
        combination /= parameters->parameter[i].count;
    const struct parameter *one = &parameters->parameter[parameter];
    return one->value[combination % one->count];
}

struct filled {
    const struct parameters *parameters;
    size_t number;
};

static bool put_parameter(FILE *stream, const char *name, size_t length, void *context)
{
    const struct filled *combination = context;
    const struct parameters *parameters = combination->parameters;
    for (size_t i = 0; i < parameters->count; i++) {
        const char *one = parameters->parameter[i].name;
        if (strlen(one) != length || strncmp(one, name, length) != 0)
            continue;
        fputs(parameters_value(parameters, combination->number, i), stream);
        return true;
    }
    return false;
}

const char *parameters_fill(const struct parameters *parameters, struct arena *arena,
                            size_t combination, const char *text)
{
    struct filled one = {parameters, combination};
    OWNED char *filled = template_fill(text, BRACES_ALONE, put_parameter, &one);
    return arena_format(arena, "%s", filled);
}

const char *parameters_name(const struct parameters *parameters, struct arena *arena,
                            size_t combination)
{
    const char *name = "";
    for (size_t i = 0; i < parameters->count; i++)
        name =
            arena_format(arena, "%s%s%s=%s", name, i == 0 ? "" : ",", parameters->parameter[i].name,
                         parameters_value(parameters, combination, i));
    return name;
}

// {NAME: VALUE}. A new reference.
static json_t *parameters_to_json(const struct parameters *parameters, size_t combination)
{
    json_t *object = json_object();
    for (size_t i = 0; i < parameters->count; i++)
        json_object_set_new(object, parameters->parameter[i].name,
                            text_to_json(parameters_value(parameters, combination, i)));
    return object;
}

#define DEFAULT "sh"

struct shell shell_read(struct arena *arena, const char *text)
{
    const char *error = NULL;
    size_t count = 0;
    if (strcmp(text, SHELL_NONE) == 0)
        return (struct shell){0};
    if (strcmp(text, SHELL_DEFAULT) == 0)
        text = DEFAULT;
    char **split = words_split(text, &count, &error);
    if (!split || count == 0)
        usage_error("--shell %s: %s: give a shell such as bash, or none", text,
                    !split ? error : "no shell");
    struct shell shell = {text, {.count = count, .item = arena_keep(arena, split)}};
    list_add(&shell.words, arena, "-c");
    return shell;
}

bool names_program(const char *word)
{
    char path[PATH_MAX];
    return strchr(word, '/') ? access(word, X_OK) == 0 : child_find(word, path);
}

bool is_command_line(const char *word)
{
    return strpbrk(word, " \t\n|&;<>") && !names_program(word);
}

bool shell_is_name(const char *word)
{
    static const char *const names[] = {"sh",   "bash", "dash", "zsh",      "ksh",        "mksh",
                                        "fish", "ash",  "yash", SHELL_NONE, SHELL_DEFAULT};
    const size_t length = strcspn(word, " ");
    const char *slash = memrchr(word, '/', length), *base = !slash ? word : slash + 1;
    const size_t base_length = (size_t)(word + length - base);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == base_length && memcmp(base, names[i], base_length) == 0)
            return true;
    return false;
}

// The next field of a line, which ends at a tab or with the line.
static const char *next_field(struct arena *arena, const char **at)
{
    const size_t length = strcspn(*at, "\t\n");
    const char *field = arena_format(arena, "%.*s", (int)length, *at);
    *at += length + ((*at)[length] == '\t');
    return field;
}

static struct revision *find_revision(const struct revisions *revisions, const char *name)
{
    for (size_t i = 0; i < revisions->count; i++)
        if (strcmp(revisions->revision[i].name, name) == 0)
            return &revisions->revision[i];
    return NULL;
}

static void read_facts(struct revisions *revisions, struct arena *arena, const char *facts)
{
    for (const char *at = facts; at && *at != '\0';) {
        struct revision *revision = find_revision(revisions, next_field(arena, &at));
        const char *commit = next_field(arena, &at);
        const char *tree = next_field(arena, &at);
        const char *folder = next_field(arena, &at);
        at += *at == '\n';
        if (!revision)
            continue;
        revision->commit = *commit == '\0' ? NULL : commit;
        revision->tree = tree;
        revision->folder = folder;
    }
}

void revisions_read(struct revisions *revisions, struct arena *arena,
                    const struct option_list *texts)
{
    *revisions = (struct revisions){
        .revision = arena_take(arena, (texts->count + 1) * sizeof *revisions->revision)};
    for (size_t i = 0; i < texts->count; i++) {
        struct revision revision = {0};
        revision.text = name_read(arena, texts->item[i], &revision.name);
        if (!revision.name)
            revision.name =
                strcmp(revision.text, ".") == 0 ? "worktree" : name_clean(arena, revision.text);
        if (*revision.text == '\0')
            usage_error("--revision %s: which? Give NAME=REVISION, such as old=main",
                        texts->item[i]);
        if (find_revision(revisions, revision.name))
            usage_error("--revision %s: the name %s is taken: give each revision a NAME= of its "
                        "own",
                        texts->item[i], revision.name);
        revisions->revision[revisions->count++] = revision;
    }
    read_facts(revisions, arena, getenv(REVISIONS_FACTS));
}

bool revisions_write(const struct revisions *revisions, const char *build, const char *records,
                     const json_t *old)
{
    pair_put("records", records);
    pair_put("build", build);
    for (size_t i = 0; i < revisions->count; i++) {
        const struct revision *revision = &revisions->revision[i];
        pair_put("revision", revision->name);
        pair_put("revision_text", revision->text);
        JSON_EACH (variant, json_object_get(old, "variants")) {
            // Its tree in an earlier record.
            const char *name = json_text_or_empty(variant, "name");
            if (strcmp(name, revision->name) == 0)
                pair_put("revision_tree",
                         json_text_at(json_object_get(variant, "revision"), "tree"));
        }
    }
    return fflush(stdout) == 0;
}

// {name, commit, tree}, or null. A new reference.
static json_t *revision_to_json(const struct revision *revision)
{
    if (!revision)
        return json_null();
    return json_pack("{s:o, s:o, s:o}", "name", text_to_json(revision->text), "commit",
                     text_to_json(revision->commit), "tree", text_to_json(revision->tree));
}

// The file itself, without links. False, with errno.
static bool find_program(const char *command, char absolute[PATH_MAX])
{
    char path[PATH_MAX];
    if (strchr(command, '/'))
        return realpath(command, absolute) != NULL;
    errno = ENOENT;
    return child_find(command, path) && realpath(path, absolute);
}

static void set_reason(json_t *program, const char *reason)
{
    json_object_set_new(program, "reason", text_to_json(reason));
}

int64_t file_mtime_ns(const struct stat *status)
{
    return status->st_mtim.tv_sec * INT64_C(1000000000) + status->st_mtim.tv_nsec;
}

static void describe_file(json_t *program, int fd, int64_t *budget)
{
    char digits[SHA256_DIGITS + 1], date[DATE_SIZE];
    struct stat status;
    if (fstat(fd, &status) != 0) {
        set_reason(program, strerror(errno));
        return;
    }
    json_object_set_new(program, "size_bytes", json_integer(status.st_size));
    json_object_set_new(program, "mtime",
                        text_to_json(*date_utc(status.st_mtime, date) ? date : NULL));
    json_object_set_new(program, "mtime_ns", json_integer(file_mtime_ns(&status)));
    if (!S_ISREG(status.st_mode))
        set_reason(program, "no regular file");
    else if (status.st_size > *budget)
        set_reason(program, "beyond 256 MiB: only size and time are known");
    else if (sha256_file(fd, digits))
        json_object_set_new(program, "sha256", json_string(digits));
    else
        set_reason(program, strerror(errno));
    if (json_is_string(json_object_get(program, "sha256")))
        *budget -= status.st_size;
}

json_t *file_to_json(const char *path, int64_t *budget)
{
    json_t *program = json_pack("{s:o, s:n, s:n, s:n, s:n, s:n}", "path", text_to_json(path),
                                "sha256", "size_bytes", "mtime", "mtime_ns", "reason");
    // A FIFO would wait for a writer.
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        set_reason(program, strerror(errno));
        return program;
    }
    describe_file(program, fd, budget);
    close(fd);
    return program;
}

// file_to_json() of the file that `command` names, found in PATH as the shell would: a script is
// its own file, `sh -c` is the shell. A new reference.
static json_t *program_to_json(const char *command)
{
    char path[PATH_MAX];
    int64_t budget = PROGRAM_MOST_BYTES;
    if (find_program(command, path))
        return file_to_json(path, &budget);
    return json_pack("{s:n, s:n, s:n, s:n, s:n, s:s}", "path", "sha256", "size_bytes", "mtime",
                     "mtime_ns", "reason", strerror(errno));
}

const char *variant_program(const struct variant *variant)
{
    size_t first = 0;
    while (first + 1 < variant->words.count && words_assignment(variant->words.item[first]))
        first++;
    return variant->words.item[first];
}

// The program, as a path from here.
static const char *program_path(const struct variant *variant, struct arena *arena)
{
    const char *program = variant_program(variant);
    if (!variant->folder || program[0] == '/' || !strchr(program, '/'))
        return program;
    return arena_format(arena, "%s/%s", variant->folder, program);
}

void variants_check_built(const struct variants *variants, struct arena *arena)
{
    for (size_t i = 0; i < variants->count; i++) {
        const struct variant *variant = &variants->variant[i];
        const char *path = program_path(variant, arena);
        if (variant->folder && !variant->shell && strchr(path, '/') && access(path, X_OK) != 0)
            usage_error("revision %s: there is no program %s: check TARGET, or --build",
                        variant->name, variant_program(variant));
    }
}

json_t *variant_program_to_json(const struct variant *variant, struct arena *arena)
{
    json_t *program = program_to_json(program_path(variant, arena));
    // The folder is gone when somebody reads this.
    if (variant->folder && strchr(variant_program(variant), '/'))
        json_object_set_new(program, "path", text_to_json(variant_program(variant)));
    return program;
}

json_t *variants_to_json(const struct variants *variants, struct arena *arena)
{
    if (!variants->named)
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < variants->count; i++) {
        const struct variant *variant = &variants->variant[i];
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:s?, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                            text_to_json(variant->name), "title", text_to_json(variant->title),
                            "named", variant->named, "line", text_to_json(variant->line), "command",
                            texts_to_json(variant->words.item, variant->words.count), "shell",
                            text_to_json(variant->shell), "program",
                            variant_program_to_json(variant, arena), "revision",
                            revision_to_json(variant->revision), "parameters",
                            parameters_to_json(&variants->parameters, variant->combination)));
    }
    return list;
}

static bool is_alone(const struct condition *condition)
{
    return condition->load_count == 0;
}

void combinations_make(struct combinations *combinations, struct arena *arena,
                       const struct variants *variants, const struct conditions *conditions)
{
    const size_t count = variants->count * conditions->count;
    if (count > COMBINATIONS_MOST)
        usage_error("%zu variants under %zu conditions are %zu: give at most %d", variants->count,
                    conditions->count, count, COMBINATIONS_MOST);
    combinations->combination = arena_take(arena, count * sizeof *combinations->combination);
    combinations->commands = variants->count;
    for (size_t i = 0; i < conditions->count; i++) {
        const struct condition *condition = &conditions->condition[i];
        const bool own = condition->adjustment.target.count > 0;
        for (size_t j = 0; j < variants->count; j++) {
            const char *name = variants->variant[j].name;
            if (!name)
                name = condition->name;
            else if (!is_alone(condition))
                name = arena_format(arena, "%s@%s", name, condition->name);
            combinations->combination[combinations->count++] = (struct combination){
                .name = name,
                .variant = j,
                .condition = condition,
                .command = own ? combinations->commands++ : j,
            };
        }
    }
}

json_t *combinations_to_json(const struct combinations *combinations,
                             const struct variants *variants)
{
    json_t *list = json_array();
    for (size_t i = 0; i < combinations->count; i++) {
        const struct combination *one = &combinations->combination[i];
        const struct condition *condition = one->condition;
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:o}", "name", one->name, "variant",
                            text_to_json(variants->variant[one->variant].name), "load",
                            text_to_json(is_alone(condition) ? NULL : condition->name)));
    }
    return list;
}

#include "parameters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/machine_json.h"
#include "common/messages.h"
#include "common/words.h"

#define MOST_VALUES     1000
#define MOST_DIGITS     17 /* so that every sum fits into 64 bits */
#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

/* mantissa / 10^decimals */
struct decimal {
    int64_t mantissa;
    int decimals;
};

/* MIN..MAX..STEP */
struct scan {
    struct decimal from, to, step;
    bool has_step;
};

/* "-0.25" of so many characters. False: it is no such number. */
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

/* With so many decimals, which are at least its own. False: it does not fit. */
static bool scale(struct decimal *decimal, int decimals)
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

/* The length of a NAME in front of a =; 0: there is none. */
static size_t name_length(const char *text)
{
    const size_t length = strspn(text, NAME_CHARACTERS);
    return text[length] == '=' ? length : 0;
}

/* The numbers of "MIN..MAX" or "MIN..MAX..STEP". */
static bool read_scan(const char *text, struct scan *scan)
{
    struct decimal *const numbers[] = {&scan->from, &scan->to, &scan->step};
    size_t count = 0;
    *scan = (struct scan){0};
    for (const char *at = text; at != NULL && count < 3; count++) {
        const char *end = strstr(at, "..");
        const size_t length = end == NULL ? strlen(at) : (size_t)(end - at);
        if (!read_decimal(at, length, numbers[count]))
            return false;
        at = end == NULL ? NULL : end + 2;
        if (count == 2 && at != NULL)
            return false;
    }
    scan->has_step = count == 3;
    return count >= 2;
}

static bool refuse(char *error, size_t size, const char *what)
{
    snprintf(error, size, "%s", what);
    return false;
}

bool parameters_check_list(const char *text, char *error, size_t size)
{
    if (name_length(text) > 0)
        return true;
    return refuse(error, size, "not VAR VALUES: give a name and values, such as threads 1,2,4");
}

bool parameters_check_scan(const char *text, char *error, size_t size)
{
    struct scan scan;
    const size_t length = name_length(text);
    if (length == 0 || !read_scan(text + length + 1, &scan))
        return refuse(error, size,
                      "not VAR MIN MAX: give a name and two numbers, such as threads 1 8");
    return true;
}

bool parameters_check_step(const char *text, char *error, size_t size)
{
    struct decimal step;
    if (read_decimal(text, strlen(text), &step) && step.mantissa > 0)
        return true;
    return refuse(error, size, "not a step above 0: give one such as 2 or 0.5");
}

static struct parameter *add(struct parameters *parameters, struct arena *arena, const char *text)
{
    const size_t length = name_length(text);
    const char *name = arena_format(arena, "%.*s", (int)length, text);
    for (size_t i = 0; i < parameters->count; i++)
        if (strcmp(parameters->parameter[i].name, name) == 0)
            usage_error("parameter %s: it is given twice: give all of its values at once", name);
    struct parameter *larger = arena_take(arena, (parameters->count + 1) * sizeof *larger);
    if (parameters->count > 0)
        memcpy(larger, parameters->parameter, parameters->count * sizeof *larger);
    parameters->parameter = larger;
    larger[parameters->count] = (struct parameter){.name = name};
    return &larger[parameters->count++];
}

static void add_value(struct parameter *parameter, struct arena *arena, const char *value)
{
    const char **larger = arena_take(arena, (parameter->count + 1) * sizeof *larger);
    if (parameter->count > 0)
        memcpy(larger, parameter->value, parameter->count * sizeof *larger);
    parameter->value = larger;
    larger[parameter->count++] = value;
    if (parameter->count > MOST_VALUES)
        usage_error("parameter %s: more than %d values: give fewer, or larger steps",
                    parameter->name, MOST_VALUES);
}

/* A value may have a comma behind a backslash, as hyperfine has it. */
static void add_list(struct parameters *parameters, struct arena *arena, const char *text)
{
    struct parameter *parameter = add(parameters, arena, text);
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

/* The step of a scan, which may have one of its own. */
static void choose_step(struct scan *scan, const char *text, const char *step)
{
    const bool whole = scan->from.decimals == 0 && scan->to.decimals == 0;
    if (!scan->has_step && step != NULL)
        read_decimal(step, strlen(step), &scan->step);
    else if (!scan->has_step && whole)
        scan->step.mantissa = 1;
    else if (!scan->has_step)
        usage_error("--parameter-scan %s: steps of numbers with decimals need a size: give "
                    "--parameter-step-size",
                    text);
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* With so many decimals, which it had at most before: what goes are zeros. */
static struct decimal shortened(struct decimal value, int decimals)
{
    for (; value.decimals > decimals; value.decimals--)
        value.mantissa /= 10;
    return value;
}

/* MIN is shown as it was given, what follows with the decimals of the sum. */
static void add_scan(struct parameters *parameters, struct arena *arena, const char *text,
                     const char *step)
{
    struct parameter *parameter = add(parameters, arena, text);
    struct scan scan;
    read_scan(text + strlen(parameter->name) + 1, &scan);
    choose_step(&scan, text, step);
    const char *first = decimal_text(arena, scan.from);
    const int shown = larger(scan.from.decimals, scan.step.decimals);
    const int decimals = larger(shown, scan.to.decimals);
    if (!scale(&scan.from, decimals) || !scale(&scan.to, decimals) || !scale(&scan.step, decimals))
        usage_error("--parameter-scan %s: too many digits: give shorter numbers", text);
    if (scan.step.mantissa <= 0 || scan.from.mantissa > scan.to.mantissa)
        usage_error("--parameter-scan %s: it has no values: give MIN, then a MAX that is not below "
                    "it, and a step above 0",
                    text);
    add_value(parameter, arena, first);
    for (struct decimal value = scan.from;
         !__builtin_add_overflow(value.mantissa, scan.step.mantissa, &value.mantissa) &&
         value.mantissa <= scan.to.mantissa;)
        add_value(parameter, arena, decimal_text(arena, shortened(value, shown)));
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
    if (step != NULL && scans->count == 0)
        usage_error("--parameter-step-size: of what? Give --parameter-scan VAR MIN MAX");
    for (size_t i = 0; i < parameters->count; i++)
        if (parameters->combinations <= MOST_VALUES)
            parameters->combinations *= parameters->parameter[i].count;
}

const char *parameters_value(const struct parameters *parameters, size_t combination,
                             size_t parameter)
{
    for (size_t i = 0; i < parameter; i++)
        combination /= parameters->parameter[i].count;
    const struct parameter *one = &parameters->parameter[parameter];
    return one->value[combination % one->count];
}

/* The parameter whose {NAME} is at text; NULL: none. */
static const struct parameter *named_at(const struct parameters *parameters, const char *text)
{
    for (size_t i = 0; *text == '{' && i < parameters->count; i++) {
        const size_t length = strlen(parameters->parameter[i].name);
        if (strncmp(text + 1, parameters->parameter[i].name, length) == 0 &&
            text[length + 1] == '}')
            return &parameters->parameter[i];
    }
    return NULL;
}

const char *parameters_fill(const struct parameters *parameters, struct arena *arena,
                            size_t combination, const char *text)
{
    const char *filled = "";
    for (const char *at = text;;) {
        size_t length = strcspn(at, "{");
        const struct parameter *parameter = named_at(parameters, at + length);
        if (parameter == NULL && at[length] == '{')
            length++;
        filled = arena_format(arena, "%s%.*s", filled, (int)length, at);
        at += length;
        if (*at == '\0')
            return filled;
        if (parameter == NULL)
            continue;
        filled = arena_format(
            arena, "%s%s", filled,
            parameters_value(parameters, combination, (size_t)(parameter - parameters->parameter)));
        at += strlen(parameter->name) + 2;
    }
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

json_t *parameters_to_json(const struct parameters *parameters, size_t combination)
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
    if (split == NULL || count == 0)
        usage_error("--shell %s: %s: give a shell such as bash, or none", text,
                    split == NULL ? error : "no shell");
    arena_keep(arena, split);
    const char **words = arena_take(arena, (count + 1) * sizeof *words);
    memcpy(words, split, count * sizeof *words);
    words[count] = "-c";
    return (struct shell){.name = text, .words = words, .word_count = count + 1};
}

bool shell_is_name(const char *word)
{
    static const char *const names[] = {"sh",   "bash", "dash", "zsh",      "ksh",        "mksh",
                                        "fish", "ash",  "yash", SHELL_NONE, SHELL_DEFAULT};
    const size_t length = strcspn(word, " ");
    const char *slash = memrchr(word, '/', length), *base = slash == NULL ? word : slash + 1;
    const size_t base_length = (size_t)(word + length - base);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == base_length && memcmp(base, names[i], base_length) == 0)
            return true;
    return false;
}

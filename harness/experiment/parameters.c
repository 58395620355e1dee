// Expands --parameter-list and --parameter-scan: values, and {NAME} in command lines.

#include "experiment.h"

#include "common/machine_json.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/template.h"
#include "common/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
    size_t combination;
};

static bool put_parameter(FILE *stream, const char *name, size_t length, void *context)
{
    const struct filled *filled = context;
    const struct parameters *parameters = filled->parameters;
    for (size_t i = 0; i < parameters->count; i++) {
        const char *one = parameters->parameter[i].name;
        if (strlen(one) != length || strncmp(one, name, length) != 0)
            continue;
        fputs(parameters_value(parameters, filled->combination, i), stream);
        return true;
    }
    return false;
}

const char *parameters_fill(const struct parameters *parameters, struct arena *arena,
                            size_t combination, const char *text)
{
    struct filled filled = {parameters, combination};
    OWNED char *made = template_fill(text, BRACES_ALONE, put_parameter, &filled);
    return arena_format(arena, "%s", made);
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

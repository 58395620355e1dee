#include "doctor.h"

#include "common/machine_json.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const status_names[] = {
    [STATUS_OK] = "ok", [STATUS_WARN] = "warn", [STATUS_UNKNOWN] = "unknown"};

static void add(struct findings *findings, enum status status, const char *advice,
                const char *format, va_list arguments)
{
    if (findings->count == sizeof findings->finding / sizeof findings->finding[0])
        return; // there are fewer checks than that
    struct finding *finding = &findings->finding[findings->count++];
    *finding = (struct finding){.check = findings->check, .status = status};
    snprintf(finding->advice, sizeof finding->advice, "%s", advice ?: "");
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
}

void findings_add(struct findings *findings, enum status status, const char *advice,
                  const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(findings, status, advice, format, arguments);
    va_end(arguments);
}

void found_ok(struct findings *findings, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(findings, STATUS_OK, NULL, format, arguments);
    va_end(arguments);
}

void found_unknown(struct findings *findings, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(findings, STATUS_UNKNOWN, NULL, format, arguments);
    va_end(arguments);
}

size_t findings_count(const struct findings *findings, enum status status)
{
    size_t count = 0;
    for (size_t i = 0; i < findings->count; i++)
        count += findings->finding[i].status == status;
    return count;
}

void findings_print(const struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->finding[i];
        printf("%-8s %-16s %s%s%s\n", status_names[finding->status], finding->check, finding->text,
               finding->advice[0] == '\0' ? "" : ": ", finding->advice);
    }
    printf("\n%zu findings: %zu warn, %zu unknown\n", findings->count,
           findings_count(findings, STATUS_WARN), findings_count(findings, STATUS_UNKNOWN));
    printf("next: jostle slowdown -- CMD\n");
}

bool findings_join_warnings(const struct findings *findings, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < findings->count && used < size; i++) {
        const struct finding *finding = &findings->finding[i];
        if (finding->status == STATUS_WARN)
            used += (size_t)snprintf(text + used, size - used, "%s%s: %s", used == 0 ? "" : "; ",
                                     finding->check, finding->text);
    }
    return used > 0;
}

json_t *findings_to_json(const struct findings *findings)
{
    json_t *array = json_array();
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->finding[i];
        json_array_append_new(
            array,
            json_pack("{s:s, s:s, s:o, s:o}", "check", finding->check, "status",
                      status_names[finding->status], "message", text_to_json(finding->text),
                      "advice", text_to_json(finding->advice[0] == '\0' ? NULL : finding->advice)));
    }
    return array;
}

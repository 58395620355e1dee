// Collects the findings of all checks, and prints them for people and programs.

#include "doctor.h"

#include "common/clock.h"
#include "common/counters.h"
#include "common/cpus.h"
#include "common/machine.h"
#include "common/machine_json.h"
#include "common/text.h"

#include <unistd.h>

static const char *const status_names[] = {
    [STATUS_OK] = "ok", [STATUS_WARN] = "warn", [STATUS_UNKNOWN] = "unknown"};

void findings_add(struct findings *findings, enum status status, const char *advice,
                  const char *format, ...)
{
    va_list arguments;
    if (findings->count == sizeof findings->finding / sizeof findings->finding[0])
        return; // there are fewer checks than that
    struct finding *finding = &findings->finding[findings->count++];
    *finding = (struct finding){.check = findings->check->name, .status = status};
    snprintf(finding->advice, sizeof finding->advice, "%s", advice ?: "");
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
}

size_t findings_count(const struct findings *findings, enum status status)
{
    size_t count = 0;
    for (size_t i = 0; i < findings->count; i++)
        count += findings->finding[i].status == status;
    return count;
}

// Whether others use the CPUs at the moment, so that it is better to wait.
static bool is_busy(const struct findings *findings)
{
    static const char *const checks[] = {"cpu-use", "run-queue", "cpu-pressure", NULL};
    for (size_t i = 0; i < findings->count; i++)
        if (findings->finding[i].status == STATUS_WARN &&
            text_is_among(findings->finding[i].check, checks))
            return true;
    return false;
}

void findings_print(const struct findings *findings)
{
    const size_t columns = fold_columns(STDOUT_FILENO);
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->finding[i];
        char text[sizeof finding->text + sizeof finding->advice + 4];
        snprintf(text, sizeof text, "%s%s%s", finding->text, finding->advice[0] == '\0' ? "" : ": ",
                 finding->advice);
        const int indent = printf("%-8s %-16s ", status_names[finding->status], finding->check);
        fold_behind(stdout, text, indent > 0 ? (size_t)indent : 0, columns);
        putchar('\n');
    }
    printf("\n%zu findings: %zu warn, %zu unknown\n", findings->count,
           findings_count(findings, STATUS_WARN), findings_count(findings, STATUS_UNKNOWN));
    printf("next: jostle slowdown %s-- CMD\n", is_busy(findings) ? "--wait " : "");
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

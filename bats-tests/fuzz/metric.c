/* The definition of a metric, in the first line, and what it finds in the rest. */
#include "frame/fuzz.h"

#include "common/metric.h"
#include "common/pattern.h"
#include "harness/meter/search.h"
#include "harness/meter/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const enum fuzz_input fuzz_input = FUZZ_BYTES;

/* What it found is a finite number, or there is a reason. */
static void check_search(const struct metric *metric, const uint8_t *data, size_t size)
{
    regex_t regex;
    struct tally tally = {.metric = metric};
    struct figure figure;
    const int fd = memfd_create("output", MFD_CLOEXEC);
    fuzz_require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    char why[128];
    if (!metric->is_jq && pattern_compile(&regex, metric->expression, 0, why, sizeof why)) {
        if (regex.re_nsub == 1) {
            search(fd, &regex, &tally);
            tally_end(&tally, "stdout", &figure);
            fuzz_require(isfinite(figure.value) == (figure.reason[0] == '\0'));
        }
        regfree(&regex);
    }
    close(fd);
}

static void check_again(const struct metric *metric)
{
    struct metric again;
    char error[512];
    char *text = metric_definition(metric);
    fuzz_require(text != NULL);
    fuzz_require(metric_parse(&again, text, error, sizeof error));
    char *same = metric_definition(&again);
    fuzz_require(same != NULL && strcmp(text, same) == 0);
    fuzz_require(strcmp(metric->name, again.name) == 0 && metric->take == again.take &&
                 strcmp(metric->expression, again.expression) == 0 &&
                 strcmp(metric->unit, again.unit) == 0 && metric->scale == again.scale);
    free(same);
    free(text);
    metric_free(&again);
}

/* glibc's regular expressions take exponential time and memory by themselves: what a user gives
 * here is a short one. */
enum { LONGEST_DEFINITION = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *line;
    const size_t length = fuzz_line(&data, &size, &line);
    struct metric metric;
    char error[512] = "";
    if (length > LONGEST_DEFINITION)
        return 0;
    char *text = fuzz_text(line, length);
    if (metric_is_definition(text) && metric_parse(&metric, text, error, sizeof error)) {
        check_again(&metric);
        check_search(&metric, data, size);
        metric_free(&metric);
    } else if (metric_is_definition(text)) {
        fuzz_require(error[0] != '\0');
    }
    free(text);
    return 0;
}

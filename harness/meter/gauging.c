#include "gauging.h"

#include "clock.h"
#include "common/json.h"
#include "common/messages.h"
#include "common/save.h"

#include <errno.h>
#include <string.h>

// So long a gauge says how the CPU is.
#define FRESH_NS (20 * NS_PER_MS)

bool gauging_begin(struct gauging *gauging, const struct settings *settings)
{
    if (!settings->gauge)
        return true;
    gauging->pinned = settings->cpus != NULL;
    if (gauging->pinned &&
        (cpus_allowed(&gauging->own) != 0 || cpus_parse(settings->cpus, &gauging->target) != 0))
        return complain("--gauge: the affinity cannot be read: %s", strerror(errno));
    return true;
}

// take: where the target runs.
static bool take(struct gauging *gauging)
{
    if (gauging->pinned && cpus_pin_list(&gauging->target) != 0)
        return complain("--gauge: --cpus: %s: give CPUs that are allowed here", strerror(errno));
    const bool taken = gauge_take(&gauging->gauge, &gauging->last);
    const int error = errno;
    if (gauging->pinned && cpus_pin_list(&gauging->own) != 0)
        return complain("--gauge: the affinity cannot be set back: %s", strerror(errno));
    gauging->last_ns = clock_ns();
    return taken || complain("--gauge: no clock: %s", strerror(error));
}

bool gauging_write(struct gauging *gauging, int fd)
{
    struct line line = {0};
    if (gauging->gauge.size[GAUGE_L2] == 0 && !gauge_open(&gauging->gauge))
        return complain("--gauge: no memory: %s", strerror(errno));
    if ((gauging->last_ns == 0 || clock_ns() - gauging->last_ns > FRESH_NS) && !take(gauging))
        return false;
    line_object(&line, NULL);
    line_text(&line, "event", "gauge");
    for (enum gauge_figure i = 0; i < GAUGE_FIGURES; i++)
        line_fixed(&line, gauge_names[i], gauging->last.ns[i], 5);
    const char *text = line_end(&line);
    const bool written = text != NULL && save_append(fd, text, line.used);
    line_free(&line);
    return written || complain("--output: %s", strerror(errno));
}

void gauging_forget(struct gauging *gauging)
{
    gauging->last_ns = 0;
}

void gauging_end(struct gauging *gauging)
{
    gauge_close(&gauging->gauge);
}

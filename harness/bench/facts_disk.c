// What the cells of the disk have to know: the device, and the room on it.

#include "facts.h"

#include "common/device.h"
#include "common/machine.h"
#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"
#include "common/units.h"

#include <math.h>
#include <string.h>
#include <sys/statvfs.h>

// The phases have a file of their own, as have their peers; and a disk that is nearly full is
// another disk.
static bool has_room(const struct bench_request *request, double *free_bytes)
{
    struct statvfs space;
    if (statvfs(request->folder, &space) != 0)
        return false;
    *free_bytes = (double)space.f_bavail * (double)space.f_frsize;
    return *free_bytes >= 2 * (double)request->file_bytes;
}

// Why nothing can be measured, to be freed; NULL: all can.
static char *no_disk(const struct bench_request *request, struct device *device)
{
    char wanted[32], left[32];
    double free_bytes = 0;
    if (strchr(request->work, '\''))
        return text_of("a folder with ' in its name: give another --dir");
    if (!device_of(request->folder, device))
        return text_of("%.200s cannot be found: give another --dir", request->folder);
    if (device->memory)
        return text_of("%.200s is in memory (%s): give a folder on a disk with --dir",
                       request->folder, device->file_system);
    if (has_room(request, &free_bytes))
        return NULL;
    return text_of("no space: %.200s has %s free, and twice the work file of %s is needed: give a "
                   "smaller --file-size, or another --dir",
                   request->folder, units_format_size(free_bytes, left, sizeof left),
                   units_format_size((double)request->file_bytes, wanted, sizeof wanted));
}

static bool is_rotational(const struct device *device)
{
    return !device->virtual_disk &&
           machine_number("/sys/class/block/%s/queue/rotational", device->disks) == 1;
}

// --threads, where they are given, and always one thread.
static void axis_of_threads(json_t *axes, const struct bench_request *request)
{
    if (!request->threads_given || request->quick)
        return;
    json_t *axis = axis_new(axes, "given-threads");
    if (request->threads[0] != 1)
        axis_add(axis, "threads", 1);
    for (size_t i = 0; i < request->thread_count; i++)
        json_add(axis, must(json_pack("{s:f, s:f}", "threads", (double)request->threads[i], "at",
                                      (double)i)));
}

void facts_of_disk(json_t *variables, json_t *axes, const struct bench_request *request)
{
    struct device device = {0};
    struct link_speed link;
    OWNED char *none = no_disk(request, &device);
    link_speed_of(&device, &link);
    const double stated = peak_stated(request, "disk", link.source, sizeof link.source);
    facts_put_peak(variables, isnan(stated) ? link.bytes_per_s : stated, link.source);
    facts_put_stated(variables, "latency_peak", request, "disk-latency");
    facts_put_stated(variables, "iops_peak", request, "disk-iops");
    facts_put_text(variables, "no_disk", none);
    facts_put_text(variables, "device", device.name);
    facts_put(variables, "logical", device.block_bytes);
    facts_put(variables, "counted", device.counter[0] != '\0');
    facts_put(variables, "rotational", is_rotational(&device));
    facts_put_text(variables, "work", request->work);
    facts_put(variables, "file", (double)request->file_bytes);
    facts_put(variables, "several_threads",
              request->quick || !request->threads_given || request->thread_count > 1);
    axis_of_threads(axes, request);
}

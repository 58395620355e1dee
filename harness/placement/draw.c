#include "draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MARK_WIDTH 3

struct drawing {
    FILE *file;
    const struct machine *machine;
    const struct placement *placement;
    /* Cores that look alike and that nobody uses, not drawn yet. */
    struct {
        unsigned count, first, last; /* as hwloc counts cores */
        int depth;
        char caches[128];
        const char *mark;
        hwloc_bitmap_t cpus;
    } waiting;
};

static const char *size_text(double bytes, char *text, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    unsigned unit = 0;
    for (; bytes >= 1024 && unit < 4; unit++)
        bytes /= 1024;
    snprintf(text, size, bytes < 100 ? "%.3g %s" : "%.0f %s", bytes, units[unit]);
    return text;
}

static const char *mark_of(const struct drawing *drawing, unsigned cpu)
{
    const bool target = hwloc_bitmap_isset(drawing->placement->target, cpu);
    const bool load = hwloc_bitmap_isset(drawing->placement->load, cpu);
    if (!hwloc_bitmap_isset(drawing->machine->allowed, cpu))
        return "-";
    return target && load ? "TL" : target ? "T" : load ? " L" : "";
}

static void begin_line(const struct drawing *drawing, const char *mark, int depth)
{
    fprintf(drawing->file, "%-*s%*s", MARK_WIDTH, mark, 2 * depth, "");
}

static void flush(struct drawing *drawing)
{
    char *cpus = machine_format(drawing->waiting.cpus);
    const unsigned count = drawing->waiting.count;
    if (count > 0) {
        begin_line(drawing, drawing->waiting.mark, drawing->waiting.depth);
        fprintf(drawing->file, "%sCore %u", drawing->waiting.caches, drawing->waiting.first);
        if (count > 1)
            fprintf(drawing->file, "-%u", drawing->waiting.last);
        fprintf(drawing->file, " + CPU %s", cpus == NULL ? "?" : cpus);
        fprintf(drawing->file, count > 1 ? " (%u cores)\n" : "\n", count);
    }
    free(cpus);
    drawing->waiting.count = 0;
    hwloc_bitmap_zero(drawing->waiting.cpus);
}

/* A core that nobody uses: waits for others that look the same. */
static void draw_unused(struct drawing *drawing, hwloc_obj_t core, int depth, const char *caches,
                        const char *mark)
{
    if (drawing->waiting.count > 0 &&
        (drawing->waiting.depth != depth || strcmp(drawing->waiting.mark, mark) != 0 ||
         strcmp(drawing->waiting.caches, caches) != 0))
        flush(drawing);
    if (drawing->waiting.count == 0) {
        drawing->waiting.first = core->logical_index;
        drawing->waiting.depth = depth;
        drawing->waiting.mark = mark;
        snprintf(drawing->waiting.caches, sizeof drawing->waiting.caches, "%s", caches);
    }
    drawing->waiting.last = core->logical_index;
    drawing->waiting.count++;
    hwloc_bitmap_or(drawing->waiting.cpus, drawing->waiting.cpus, core->cpuset);
}

/* A core, or a hardware thread where there are no cores. */
static void draw_core(struct drawing *drawing, hwloc_obj_t core, int depth, const char *caches)
{
    const int first = hwloc_bitmap_first(core->cpuset);
    const char *mark = first < 0 ? "-" : mark_of(drawing, (unsigned)first);
    bool unused = mark[0] == '\0' || mark[0] == '-';
    int cpu;
    for (cpu = first; cpu >= 0 && unused; cpu = hwloc_bitmap_next(core->cpuset, cpu))
        unused = strcmp(mark_of(drawing, (unsigned)cpu), mark) == 0;
    if (unused) {
        draw_unused(drawing, core, depth, caches, mark);
        return;
    }
    flush(drawing);
    const int indent = (int)strlen(caches);
    for (cpu = first; cpu >= 0; cpu = hwloc_bitmap_next(core->cpuset, cpu)) {
        begin_line(drawing, mark_of(drawing, (unsigned)cpu), depth);
        if (cpu == first)
            fprintf(drawing->file, "%sCore %u + CPU %d\n", caches, core->logical_index, cpu);
        else
            fprintf(drawing->file, "%*sCore %u + CPU %d\n", indent, "", core->logical_index, cpu);
    }
}

static void draw_nodes(struct drawing *drawing, hwloc_obj_t object, int depth)
{
    char size[32];
    for (hwloc_obj_t node = object->memory_first_child; node != NULL; node = node->next_sibling) {
        if (node->type != HWLOC_OBJ_NUMANODE) { /* a cache in front of memory */
            draw_nodes(drawing, node, depth);
            continue;
        }
        begin_line(drawing, "", depth);
        fprintf(drawing->file, "Node %u (%s)\n", node->os_index,
                size_text((double)node->attr->numanode.local_memory, size, sizeof size));
    }
}

static void name_of(hwloc_obj_t object, char *text, size_t size)
{
    char type[32], bytes[32];
    hwloc_obj_type_snprintf(type, sizeof type, object, 0);
    if (hwloc_obj_type_is_cache(object->type))
        snprintf(text, size, "%s (%s)", type,
                 size_text((double)object->attr->cache.size, bytes, sizeof bytes));
    else if (object->type == HWLOC_OBJ_MACHINE)
        snprintf(text, size, "%s (%s)", type,
                 size_text((double)object->total_memory, bytes, sizeof bytes));
    else
        snprintf(text, size, "%s %u", type, object->logical_index);
}

/* caches: those of one core alone, on the way down to it. */
static void draw_object(struct drawing *drawing, hwloc_obj_t object, int depth, const char *caches)
{
    char name[96], joined[128];
    if (object->type == HWLOC_OBJ_CORE || object->type == HWLOC_OBJ_PU) {
        draw_core(drawing, object, depth, caches);
        return;
    }
    name_of(object, name, sizeof name);
    snprintf(joined, sizeof joined, "%s%s + ", caches, name);
    if (hwloc_obj_type_is_cache(object->type) && object->type != HWLOC_OBJ_L3CACHE &&
        object->arity == 1) {
        draw_object(drawing, object->first_child, depth, joined);
        return;
    }
    flush(drawing);
    begin_line(drawing, "", depth);
    fprintf(drawing->file, "%s%s\n", caches, name);
    draw_nodes(drawing, object, depth + 1);
    for (hwloc_obj_t child = object->first_child; child != NULL; child = child->next_sibling)
        draw_object(drawing, child, depth + 1, "");
    flush(drawing);
}

static void draw_legend(const struct drawing *drawing)
{
    const struct machine *machine = drawing->machine;
    const struct {
        const char *name;
        hwloc_const_bitmap_t cpus;
    } lists[] = {
        {"T target", drawing->placement->target},
        {"L load", drawing->placement->load},
        {"allowed", machine->allowed},
        {"  affinity", machine->affinity},
        {"  cgroup cpuset", machine->cpuset},
    };
    char places[128];
    fputc('\n', drawing->file);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        char *cpus = machine_format(lists[i].cpus);
        fprintf(drawing->file, "%-16s CPU %s\n", lists[i].name, cpus == NULL ? "?" : cpus);
        free(cpus);
    }
    if (isfinite(machine->quota_cpus))
        fprintf(drawing->file, "%-16s %.2f CPUs\n", "  cgroup quota", machine->quota_cpus);
    else
        fprintf(drawing->file, "%-16s none\n", "  cgroup quota");
    fprintf(drawing->file, "%-16s %s\n", "places to choose",
            place_list(drawing->placement->offers, places, sizeof places));
    if (!hwloc_bitmap_isequal(machine->allowed, machine->complete))
        fputs("- may not be used here\n", drawing->file);
}

void draw_machine(FILE *file, const struct machine *machine, const struct placement *placement)
{
    struct drawing drawing = {.file = file, .machine = machine, .placement = placement};
    drawing.waiting.cpus = hwloc_bitmap_alloc();
    if (drawing.waiting.cpus == NULL) {
        complain("out of memory: free some");
        return;
    }
    draw_object(&drawing, hwloc_get_root_obj(machine->topology), 0, "");
    draw_legend(&drawing);
    hwloc_bitmap_free(drawing.waiting.cpus);
}

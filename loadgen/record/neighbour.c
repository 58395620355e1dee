// Records a neighbour: a process with all that it starts, a control group, or the part of a Slurm
// job that is on this node.

#include "figures.h"
#include "record.h"

#include "common/child.h"
#include "common/file.h"
#include "common/memory.h"
#include "common/schemas.h"
#include "common/text.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#define THREADS_SHOWN   8
#define SHORTEST_REST   20000000 // ns between two looks
#define LOOKS_OF_A_SPAN 10
// A look is followed by so many times the CPU time that it took: 0.5 % of a CPU.
#define REST_OF_A_LOOK 200
#define MOST_UNSEEN    24

struct unseen {
    const char *what, *why;
};

struct neighbour {
    const struct record_settings *set;
    struct sources sources;
    struct process process; // of --pid
    pid_t *roots;           // of a group all that is in it
    size_t root_count;
    const char *ended; // why the recording ended
    uint64_t looks;
    double lost_s, counter_s; // see count_lost()
    double first[FIGURES], before[FIGURES], now[FIGURES];
    double moments[FIGURES]; // sums over the spans of those that are values of a moment
    unsigned cores;
    double *lane, *lane_sum;
    struct group_disk *disks; // at the end of the last span
    size_t disk_count;
    int64_t start_ns, end_ns; // end_ns: of the last span
    unsigned spans;
    struct unseen unseen[MOST_UNSEEN];
    size_t unseen_count;
};

// ---- who it is ----

// A process may be recorded by its user and by root.
static bool find_process(struct neighbour *neighbour, pid_t pid)
{
    char path[PATH_MAX], text[512];
    struct process *process = &neighbour->process;
    bool ours = true;
    if (!process_read(pid, process)) // /proc may be mounted so that it hides other users' processes
        ours = kill(pid, 0) == 0 || errno != EPERM;
    else
        ours = file_read(AT_FDCWD, process_path(pid, "io", path), text, sizeof text) ||
               (errno != EACCES && errno != EPERM);
    if (!ours)
        return complain(
            "process %d belongs to another user, and we may not look into it: record it "
            "as that user or as root",
            (int)pid);
    if (process->pid == 0 || process->state == 'Z' || process->state == 'X')
        return complain("process %d does not run: give the number of one that does", (int)pid);
    neighbour->roots = must(malloc(sizeof *neighbour->roots));
    neighbour->roots[neighbour->root_count++] = pid;
    return true;
}

static int by_number(const void *a, const void *b)
{
    const pid_t *one = a, *other = b;
    return (*one > *other) - (*one < *other);
}

// What `scontrol listpids` prints: a header, then a process in the first column of each line.
static void take_pids(struct neighbour *neighbour, char *text)
{
    size_t allocated = 0;
    for (char *line; (line = strsep(&text, "\n")) != NULL;) {
        char *end;
        const long pid = strtol(line, &end, 10);
        struct process process;
        if (pid <= 0 || end == line || !process_read((pid_t)pid, &process))
            continue;
        neighbour->roots =
            grown(neighbour->roots, neighbour->root_count, &allocated, sizeof(pid_t));
        neighbour->roots[neighbour->root_count++] = (pid_t)pid;
    }
    if (neighbour->root_count > 0)
        qsort(neighbour->roots, neighbour->root_count, sizeof *neighbour->roots, by_number);
}

static bool find_job(struct neighbour *neighbour, const char *job)
{
    static const char limit[] = "20"; // seconds: a controller that is down answers late
    // In a job it is told which node this is, which its name need not say.
    const char *const node = getenv("SLURMD_NODENAME");
    const char *const argv[] = {"timeout", limit, "scontrol", "listpids", job, node, NULL};
    char path[PATH_MAX], *text = NULL;
    neighbour->sources.has_group = control_group_find_job(&neighbour->sources.group, job);
    if (neighbour->sources.has_group)
        return true;
    if (!child_find("scontrol", path))
        return complain("job %s has no control group on this node, and scontrol is not installed: "
                        "record it on the node where it runs",
                        job);
    if (child_run(argv, -1, &text) == 0 && text)
        take_pids(neighbour, text);
    free(text);
    return neighbour->root_count > 0 ||
           complain("job %s has no process on this node: record it on a node where it runs "
                    "(squeue -j %s)",
                    job, job);
}

static bool find(struct neighbour *neighbour)
{
    const struct record_settings *set = neighbour->set;
    struct sources *sources = &neighbour->sources;
    if (set->pid > 0)
        return find_process(neighbour, (pid_t)set->pid);
    if (set->job)
        return find_job(neighbour, set->job);
    sources->has_group = control_group_find(&sources->group, set->cgroup);
    return sources->has_group ||
           complain("there is no control group %s: give its folder, or its path as in "
                    "/proc/PID/cgroup",
                    set->cgroup);
}

struct neighbour *neighbour_open(const struct record_settings *set)
{
    struct neighbour *neighbour = must(calloc(1, sizeof *neighbour));
    neighbour->set = set;
    neighbour->cores = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    neighbour->lane = must(calloc(neighbour->cores, sizeof *neighbour->lane));
    neighbour->lane_sum = must(calloc(neighbour->cores, sizeof *neighbour->lane_sum));
    if (find(neighbour))
        return neighbour;
    neighbour_close(neighbour);
    return NULL;
}

void neighbour_close(struct neighbour *neighbour)
{
    tree_free(&neighbour->sources.tree);
    events_close(&neighbour->sources.events);
    free(neighbour->sources.counts.disk);
    free(neighbour->disks);
    free(neighbour->roots);
    free(neighbour->lane);
    free(neighbour->lane_sum);
    free(neighbour);
}

// ---- looking ----

// CPU time of what has ended without anybody to count it for: the counter of the kernel has it.
static void count_lost(struct neighbour *neighbour, double tree_before_ns)
{
    struct sources *sources = &neighbour->sources;
    const double counter_s = events_read(&sources->events, EVENT_CPU_NS) / 1e9;
    const double more_s = counter_s - neighbour->counter_s -
                          (sources->tree.count[TREE_CPU_NS] - tree_before_ns) / 1e9;
    if (sources->tree.lost && more_s > 0)
        neighbour->lost_s += more_s;
    neighbour->counter_s = counter_s;
}

// False: none of it lives any more.
static bool look(struct neighbour *neighbour, int64_t now_ns)
{
    struct sources *sources = &neighbour->sources;
    const double tree_before_ns = sources->tree.count[TREE_CPU_NS];
    bool there = true;
    if (sources->has_group) {
        there = control_group_read(&sources->group, &sources->counts);
        free(neighbour->roots);
        neighbour->roots = control_group_pids(&sources->group, &neighbour->root_count);
    }
    sources->tree.roots = neighbour->roots;
    sources->tree.root_count = neighbour->root_count;
    sources->tree.only_roots = sources->has_group;
    tree_look(&sources->tree, now_ns);
    count_lost(neighbour, tree_before_ns);
    if (there) // else the last figures of the group stay
        figures_take(sources, neighbour->now);
    if (!sources->has_group || isnan(sources->counts.cpu_ns))
        neighbour->now[FIGURE_CPU] += neighbour->lost_s;
    neighbour->now[FIGURE_RUNNABLE] = neighbour->now[FIGURE_CPU] + neighbour->now[FIGURE_CPU_WAIT];
    neighbour->looks++;
    // A group may be empty for a while, a process comes not back.
    return there && (sources->has_group || sources->tree.living > 0);
}

// The process whose network namespace is not ours; 0: there is none.
static pid_t own_network(const struct tree *tree)
{
    char path[PATH_MAX], ours[64] = "", its[64] = "";
    const pid_t pid = tree->look.count > 0 ? tree->look.item[0].pid : 0;
    const bool known = pid > 0 &&
                       readlink(process_path(0, "ns/net", path), ours, sizeof ours - 1) > 0 &&
                       readlink(process_path(pid, "ns/net", path), its, sizeof its - 1) > 0;
    return known && strcmp(ours, its) != 0 ? pid : 0;
}

static void count_events(struct neighbour *neighbour)
{
    struct sources *sources = &neighbour->sources;
    const struct tree_threads *threads = &sources->tree.threads;
    pid_t id[EVENTS_THREADS_MOST];
    if (neighbour->set->counters == RECORD_COUNTERS_NONE)
        return;
    if (sources->has_group && sources->group.v2) {
        events_open_group(&sources->events, sources->group.procs);
    } else if (!sources->has_group && threads->count <= EVENTS_THREADS_MOST) {
        for (size_t i = 0; i < threads->count; i++)
            id[i] = threads->item[i].id;
        events_open(&sources->events, id, threads->count);
    }
}

// ---- what cannot be seen ----

static void add_unseen(struct neighbour *neighbour, bool is, const char *what, const char *why)
{
    if (is && neighbour->unseen_count < MOST_UNSEEN)
        neighbour->unseen[neighbour->unseen_count++] = (struct unseen){what, why};
}

// Why an event is not counted.
static const char *why_no_event(const struct neighbour *neighbour, enum event event)
{
    const struct sources *sources = &neighbour->sources;
    const int error = sources->events.error[event];
    if (neighbour->set->counters == RECORD_COUNTERS_NONE)
        return "--counters none";
    if (sources->events.count == 0)
        return sources->has_group ? "a group of cgroup v1 has no counters"
                                  : "it has more threads than counters are opened for";
    if (error == EACCES || error == EPERM)
        return "this user may not count it (/proc/sys/kernel/perf_event_paranoid)";
    return event >= EVENT_CYCLES ? "this machine has no such counter"
                                 : "this kernel shows no such event (tracefs)";
}

static void find_unseen(struct neighbour *neighbour)
{
    const struct sources *sources = &neighbour->sources;
    const double *now = neighbour->now;
    const bool group = sources->has_group;
    neighbour->unseen_count = 0;
    add_unseen(neighbour, sources->tree.hidden, "reads and writes of some processes",
               "they belong to another user");
    add_unseen(neighbour, isnan(now[FIGURE_CPU_WAIT]), "cpu_wait", "this kernel has no schedstat");
    add_unseen(neighbour, isnan(now[FIGURE_READS]), "reads and writes",
               "this kernel does not count them (/proc/PID/io)");
    add_unseen(neighbour, true, "cpu_wait and threads of what began and ended between two looks",
               "the kernel keeps only CPU time, bytes and faults of what has ended");
    add_unseen(neighbour, !group,
               isnan(events_read(&sources->events, EVENT_CPU_NS))
                   ? "what the last process used after the last look at it"
                   : "bytes, calls and faults of the last process after the last look at it",
               "no process that is recorded waits for it");
    add_unseen(neighbour, isnan(now[FIGURE_SWITCHES]), "switches of what ended between two looks",
               why_no_event(neighbour, EVENT_SWITCHES));
    add_unseen(neighbour, isnan(events_read(&sources->events, EVENT_FORKS)),
               "forks of what ended between two looks", why_no_event(neighbour, EVENT_FORKS));
    add_unseen(neighbour, isnan(now[FIGURE_SYNCS]), "syncs", why_no_event(neighbour, EVENT_FSYNC));
    add_unseen(neighbour, !isnan(now[FIGURE_SYNCS]), "syncs by O_SYNC and O_DSYNC",
               "only calls of fsync and fdatasync are counted");
    add_unseen(neighbour, isnan(now[FIGURE_CYCLES]), "cycles, instructions and cache misses",
               why_no_event(neighbour, EVENT_CYCLES));
    add_unseen(neighbour, sources->network == 0, "network",
               "it shares its network namespace with others, and the kernel does not count the "
               "bytes of a process");
    add_unseen(neighbour, !group, "disks",
               "of a process the kernel counts bytes, not what each device did: record its cgroup");
    add_unseen(neighbour, group && sources->counts.disk_count == 0, "disks",
               "its control group has not used any, or has no io controller");
    add_unseen(neighbour, group && isnan(sources->counts.cpu_ns), "CPU time of what has ended",
               "its control group has no cpuacct controller");
    add_unseen(neighbour, group && isnan(now[FIGURE_MEMORY]), "memory_bytes",
               "its control group has no memory controller");
    add_unseen(neighbour, group && isnan(now[FIGURE_CPU_PRESSURE]), "pressure",
               "its control group does not account it (cgroup v1, or psi=0)");
    add_unseen(neighbour, isnan(now[FIGURE_MEMORY_TRAFFIC]), "memory bandwidth",
               "resctrl is not mounted");
}

static void put_unseen(struct neighbour *neighbour, struct line *line)
{
    find_unseen(neighbour);
    line_array(line, "unseen");
    for (size_t i = 0; i < neighbour->unseen_count; i++) {
        line_object(line, NULL);
        line_text(line, "what", neighbour->unseen[i].what);
        line_text(line, "why", neighbour->unseen[i].why);
        line_close(line);
    }
    line_close(line);
}

// ---- what is written ----

static int write_header(struct neighbour *neighbour, FILE *file)
{
    const struct record_settings *set = neighbour->set;
    struct line line = {0};
    record_begin_header(&line, SCHEMA_PROFILE_NEIGHBOUR, neighbour->cores, set->interval_ns);
    line_object(&line, "of");
    if (set->pid > 0) {
        line_count(&line, "pid", set->pid);
        line_text(&line, "program", neighbour->process.name);
    }
    if (set->job)
        line_text(&line, "job", set->job);
    if (neighbour->sources.has_group)
        line_text(&line, "cgroup", neighbour->sources.group.procs);
    line_close(&line);
    put_unseen(neighbour, &line);
    return record_line(file, &line);
}

static int by_cpu(const void *a, const void *b)
{
    const struct tree_thread *const *one = a, *const *other = b;
    return ((*one)->span_cpu_ns < (*other)->span_cpu_ns) -
           ((*one)->span_cpu_ns > (*other)->span_cpu_ns);
}

static int by_demand(const void *a, const void *b)
{
    const struct tree_thread *const *one = a, *const *other = b;
    const double first = (*one)->span_cpu_ns + (*one)->span_wait_ns,
                 second = (*other)->span_cpu_ns + (*other)->span_wait_ns;
    return (first < second) - (first > second);
}

// So much of a CPU on the CPUs from `from` on, as far as there is room.
static double pour(struct neighbour *neighbour, unsigned from, double share)
{
    for (unsigned i = 0; i < neighbour->cores && share > 0; i++) {
        double *lane = &neighbour->lane[(from + i) % neighbour->cores];
        const double part = fmin(share, 1 - *lane);
        *lane += part;
        share -= part;
    }
    return share;
}

// Lays its CPU time on as many CPUs as the machine has, for who plays it again: the busiest thread
// first, each on the idlest CPU; then what the looks saw in no thread, CPU by CPU.
static void lay_out(struct neighbour *neighbour, const struct tree_thread **thread, size_t count,
                    double cpu, double seconds)
{
    memset(neighbour->lane, 0, neighbour->cores * sizeof *neighbour->lane);
    double rest = cpu;
    if (count > 0)
        qsort(thread, count, sizeof(struct tree_thread *), by_cpu);
    for (size_t i = 0; i < count && rest > 0; i++) {
        const double share = fmin(thread[i]->span_cpu_ns / 1e9 / seconds, rest);
        unsigned idlest = 0;
        for (unsigned k = 1; k < neighbour->cores; k++)
            if (neighbour->lane[k] < neighbour->lane[idlest])
                idlest = k;
        (void)pour(neighbour, idlest, share);
        rest -= share;
    }
    (void)pour(neighbour, 0, rest);
    for (unsigned k = 0; k < neighbour->cores; k++)
        neighbour->lane_sum[k] += neighbour->lane[k] * seconds;
}

static void put_lanes(const struct neighbour *neighbour, struct line *line, const char *name,
                      const double *lane, double seconds)
{
    line_array(line, name);
    for (unsigned i = 0; i < neighbour->cores; i++)
        line_fixed(line, NULL, fmin(lane[i] / seconds, 1) * 100, 3);
    line_close(line);
}

static void put_threads(struct line *line, const struct tree_thread **thread, size_t count,
                        double seconds)
{
    if (count > 0)
        qsort(thread, count, sizeof(struct tree_thread *), by_demand);
    line_array(line, "busiest");
    for (size_t i = 0; i < count && i < THREADS_SHOWN; i++) {
        const struct tree_thread *one = thread[i];
        if (one->span_cpu_ns + one->span_wait_ns <= 0)
            break;
        line_object(line, NULL);
        line_integer(line, "pid", one->pid);
        line_integer(line, "thread", one->id);
        line_text(line, "program", one->name);
        line_fixed(line, "cpu", one->span_cpu_ns / 1e9 / seconds, 5);
        line_fixed(line, "cpu_wait", one->span_wait_ns / 1e9 / seconds, 5);
        line_close(line);
    }
    line_close(line);
}

static void put_disks(const struct neighbour *neighbour, struct line *line, double seconds)
{
    const struct group_counts *counts = &neighbour->sources.counts;
    static const struct group_disk unknown = {.busy_ms = NAN, .queued_ms = NAN};
    if (counts->disk_count == 0)
        return;
    line_array(line, "disks");
    for (size_t i = 0; i < counts->disk_count; i++) {
        const struct group_disk *now = &counts->disk[i], *old = &unknown;
        char number[32];
        for (size_t k = 0; k < neighbour->disk_count; k++)
            if (neighbour->disks[k].major == now->major && neighbour->disks[k].minor == now->minor)
                old = &neighbour->disks[k];
        snprintf(number, sizeof number, "%u:%u", now->major, now->minor);
        line_object(line, NULL);
        line_text(line, "device", number);
        if (now->name[0] != '\0')
            line_text(line, "name", now->name);
        line_fixed(line, "reads_per_s", (now->reads - old->reads) / seconds, 1);
        line_fixed(line, "writes_per_s", (now->writes - old->writes) / seconds, 1);
        line_fixed(line, "read_bytes_per_s", (now->read_bytes - old->read_bytes) / seconds, 0);
        line_fixed(line, "write_bytes_per_s", (now->write_bytes - old->write_bytes) / seconds, 0);
        line_fixed(line, "busy", (now->busy_ms - old->busy_ms) / 1e3 / seconds, 4);
        line_fixed(line, "in_flight", (now->queued_ms - old->queued_ms) / 1e3 / seconds, 4);
        line_close(line);
    }
    line_close(line);
}

static void keep_disks(struct neighbour *neighbour)
{
    const struct group_counts *counts = &neighbour->sources.counts;
    free(neighbour->disks);
    neighbour->disk_count = counts->disk_count;
    neighbour->disks = must(calloc(counts->disk_count + 1, sizeof *neighbour->disks));
    if (counts->disk_count > 0)
        memcpy(neighbour->disks, counts->disk, counts->disk_count * sizeof *counts->disk);
}

static int write_span(struct neighbour *neighbour, FILE *file, int64_t at_ns)
{
    struct tree *tree = &neighbour->sources.tree;
    const double seconds = (double)(at_ns - neighbour->end_ns) / 1e9;
    double span[FIGURES];
    struct line line = {0};
    const struct tree_thread **thread =
        must(calloc(tree->threads.count + 1, sizeof(struct tree_thread *)));
    for (size_t i = 0; i < tree->threads.count; i++)
        thread[i] = &tree->threads.item[i];
    figures_between(neighbour->before, neighbour->now, seconds, span);
    for (size_t i = FIGURES_COUNTED; i < FIGURES; i++)
        neighbour->moments[i] += span[i];
    lay_out(neighbour, thread, tree->threads.count, span[FIGURE_CPU], seconds);
    line_object(&line, NULL);
    line_fixed(&line, "time_ms", (double)(at_ns - neighbour->start_ns) / 1e6, 3);
    put_lanes(neighbour, &line, "load", neighbour->lane, 1);
    figures_put(&line, span);
    put_disks(neighbour, &line, seconds);
    put_threads(&line, thread, tree->threads.count, seconds);
    free(thread);
    tree_span(tree);
    keep_disks(neighbour);
    memcpy(neighbour->before, neighbour->now, sizeof neighbour->before);
    neighbour->end_ns = at_ns;
    neighbour->spans++;
    return record_line(file, &line);
}

static int write_summary(struct run *run, struct neighbour *neighbour, FILE *file)
{
    const double seconds = (double)(neighbour->end_ns - neighbour->start_ns) / 1e9;
    const double own_s = (double)clock_of(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
    double mean[FIGURES];
    struct line line = {0};
    figures_between(neighbour->first, neighbour->now, seconds, mean);
    for (size_t i = FIGURES_COUNTED; i < FIGURES; i++)
        mean[i] = neighbour->moments[i] / neighbour->spans;
    line_object(&line, NULL);
    line_text(&line, "event", "summary");
    line_count(&line, "spans", neighbour->spans);
    line_fixed(&line, "length_s", seconds, 6);
    line_fixed(&line, "own_cpu_s", own_s, 6);
    line_text(&line, "ended", neighbour->ended);
    line_count(&line, "looks", neighbour->looks);
    line_fixed(&line, "cpu_s", mean[FIGURE_CPU] * seconds, 6);
    put_lanes(neighbour, &line, "mean_load", neighbour->lane_sum, seconds);
    line_object(&line, "mean");
    figures_put(&line, mean);
    line_close(&line);
    put_unseen(neighbour, &line);
    if (file != stdout) {
        report_print(&run->report,
                     "record: %u spans in %.3f s; on average %.3f CPUs, and %.3f threads that ran "
                     "or waited for one\n",
                     neighbour->spans, seconds, mean[FIGURE_CPU],
                     isnan(mean[FIGURE_RUNNABLE]) ? mean[FIGURE_CPU] : mean[FIGURE_RUNNABLE]);
        for (size_t i = 0; i < neighbour->unseen_count; i++)
            report_print(&run->report, "  not seen: %s: %s\n", neighbour->unseen[i].what,
                         neighbour->unseen[i].why);
        if (own_s > 0.01 * seconds)
            report_print(&run->report,
                         "  the recorder itself used %.1f %% of a CPU: give a longer --interval\n",
                         100 * own_s / seconds);
    }
    return record_line(file, &line);
}

// ---- recording ----

// Looks, and writes a span whenever one is over, until the end. 0, or -1 with errno.
static int record_looks(struct neighbour *neighbour, FILE *file)
{
    const struct record_settings *set = neighbour->set;
    const int64_t last_ns =
        set->duration_ns > 0 ? neighbour->start_ns + set->duration_ns : INT64_MAX;
    int64_t span_ns = neighbour->start_ns + set->interval_ns, now_ns = neighbour->start_ns;
    int64_t used_ns = 0;
    neighbour->ended = "duration";
    while (span_ns <= last_ns) {
        const int64_t usual_ns = set->interval_ns / LOOKS_OF_A_SPAN,
                      rest_ns = REST_OF_A_LOOK * used_ns;
        int64_t next_ns = now_ns + (usual_ns > rest_ns ? usual_ns : rest_ns);
        next_ns = next_ns > span_ns - SHORTEST_REST ? span_ns : next_ns;
        if (!record_sleep_to(next_ns)) {
            neighbour->ended = "signal";
            return 0;
        }
        const int64_t began_ns = clock_of(CLOCK_PROCESS_CPUTIME_ID);
        now_ns = clock_ns();
        const bool lives = look(neighbour, now_ns);
        if ((now_ns >= span_ns || !lives) && write_span(neighbour, file, now_ns) != 0)
            return -1;
        used_ns = clock_of(CLOCK_PROCESS_CPUTIME_ID) - began_ns;
        if (!lives) {
            neighbour->ended = "neighbour";
            return 0;
        }
        while (now_ns >= span_ns)
            span_ns += set->interval_ns;
    }
    return 0;
}

int neighbour_record(struct run *run, struct neighbour *neighbour, FILE *file, unsigned *spans)
{
    struct sources *sources = &neighbour->sources;
    (void)look(neighbour, clock_ns());
    sources->network = own_network(&sources->tree);
    count_events(neighbour);
    // Once more: what is counted begins together.
    neighbour->start_ns = neighbour->end_ns = clock_ns();
    (void)look(neighbour, neighbour->start_ns);
    neighbour->lost_s = 0;
    tree_span(&sources->tree);
    figures_take(sources, neighbour->now);
    memcpy(neighbour->first, neighbour->now, sizeof neighbour->first);
    memcpy(neighbour->before, neighbour->now, sizeof neighbour->before);
    keep_disks(neighbour);
    if (write_header(neighbour, file) != 0 || record_looks(neighbour, file) != 0)
        return -1;
    *spans = neighbour->spans;
    return neighbour->spans == 0 ? 0 : write_summary(run, neighbour, file);
}

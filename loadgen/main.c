// loadgen LOAD [options]: makes load of one kind, and says what it achieved.

#include "frame.h"

#include "common/memory.h"
#include "common/text.h"
#include "common/version.h"

#include <hwloc.h>

#ifndef WITHOUT_jemalloc
#include <jemalloc/jemalloc.h>
#else
#define JEMALLOC_VERSION ""
#endif
#ifndef LIBURING_VERSION
#define LIBURING_VERSION "" // older headers do not say: the Makefile asks pkg-config
#endif

// Which libraries this build has, with their versions, and what is lost without the others: two
// lines on stdout, or one.
static void libraries_print(void)
{
    static const char *const versions[OPTIONALS] = {
        [OPTIONAL_JEMALLOC] = JEMALLOC_VERSION, [OPTIONAL_LIBURING] = LIBURING_VERSION};
    char missing[512];
    printf("built with: libuv %s, jansson %s, hwloc %s", uv_version_string(), JANSSON_VERSION,
           HWLOC_VERSION);
    for (size_t i = 0; i < OPTIONALS; i++)
        if (optional_libraries[i].present)
            printf(", %s%s%.*s", optional_libraries[i].name, versions[i][0] == '\0' ? "" : " ",
                   (int)strcspn(versions[i], "-_"), versions[i]);
    putchar('\n');
    if (optional_missing(missing, sizeof missing))
        printf("without: %s\n", missing);
}

#define MOST_LOADS 64

// The linker defines these: what LOADGEN_REGISTER() has put into the section "loads".
extern const struct load *const __start_loads[], *const __stop_loads[];

static int compare_names(const void *a, const void *b)
{
    const struct load *const *first = a, *const *second = b;
    return strcmp((*first)->name, (*second)->name);
}

// All loads that were linked, by name. Returns how many.
static size_t list_loads(const struct load *loads[MOST_LOADS])
{
    size_t count = 0;
    for (const struct load *const *entry = __start_loads;
         entry < __stop_loads && count < MOST_LOADS; entry++)
        loads[count++] = *entry;
    qsort(loads, count, sizeof loads[0], compare_names);
    return count;
}

static void print_row(const struct load *load)
{
    enum { COLUMNS = 80 };
    const size_t columns = fold_columns(STDOUT_FILENO);
    OWNED char *row = must(text_of("  %-10s %s", load->name, load->summary));
    OWNED char *folded = must(fold_text(row, columns > 0 && columns < COLUMNS ? columns : COLUMNS));
    puts(folded);
}

static void print_help(void)
{
    const struct load *loads[MOST_LOADS];
    const size_t count = list_loads(loads);
    puts("Usage: loadgen LOAD [options]\n"
         "Makes load at a given rate, and reports what it achieved.\n");
    for (size_t i = 0; i < count; i++)
        print_row(loads[i]);
    puts("\nloadgen LOAD --help lists a load's options; loadgen --calibrations lists what\n"
         "`jostle calib` measures; loadgen --version shows the version and the libraries.\n"
         "Exit status: 0 after a normal end, also by a signal or end of file; 1 when the\n"
         "load failed; 2 for wrong use.");
}

// What is worth calibrating, a line each: "mem --kernel triad --threads 1".
static void print_calibrations(void)
{
    const struct load *loads[MOST_LOADS];
    const size_t count = list_loads(loads);
    for (size_t i = 0; i < count; i++)
        for (const char *const *options = loads[i]->calibrations; options && *options; options++)
            printf("%s%s%s\n", loads[i]->name, **options == '\0' ? "" : " ", *options);
}

// For the test that walks all options; not in --help.
static int list_commands(void)
{
    const struct load *loads[MOST_LOADS];
    const size_t count = list_loads(loads);
    bool written = true;
    for (size_t i = 0; i < count; i++)
        written = options_list_command(loads[i]->name) && written;
    return written ? 0 : 1;
}

static const struct load *find_load(const char *name)
{
    const struct load *loads[MOST_LOADS];
    const char *names[MOST_LOADS + 1] = {NULL};
    const size_t count = list_loads(loads);
    for (size_t i = 0; i < count; i++) {
        names[i] = loads[i]->name;
        if (strcmp(loads[i]->name, name) == 0)
            return loads[i];
    }
    const char *near = nearest_name(name, names);
    if (near)
        usage_error("%s: no such load: did you mean %s? A program is run by exec", name, near);
    usage_error("%s: no such load: see loadgen --help; a program is run by exec", name);
}

// Sets run->cpus, run->quota_cpus and run->threads.
static void choose_cpus(struct run *run)
{
    struct cpu_list allowed;
    if (cpus_allowed(&allowed) != 0 || allowed.count == 0)
        usage_error("cannot read the CPU affinity: %s", strerror(errno));
    run->cpus = allowed;
    if (run->common.cpus) {
        char text[CPUS_TEXT];
        if (cpus_parse(run->common.cpus, &run->cpus) != 0)
            usage_error("--cpus %s: not a list of CPUs: give one such as 0-3,8", run->common.cpus);
        const int missing = cpus_missing(&run->cpus, &allowed);
        if (missing >= 0)
            usage_error("--cpus %s: CPU %d is not allowed here: choose from %s", run->common.cpus,
                        missing, cpus_format(&allowed, text, sizeof text));
    }
    run->quota_cpus = cpus_quota();
    run->threads = run->cpus.count;
    if (run->quota_cpus < (double)run->threads)
        run->threads = run->quota_cpus < 1 ? 1 : (unsigned)run->quota_cpus;
    if (run->load->threads > 0)
        run->threads = run->load->threads;
    if (run->common.threads > 0)
        run->threads = (unsigned)run->common.threads;
    if (run->load->process || (!run->load->operate && !run->load->work))
        run->threads = 0;
}

// A yes, a no, or null where nobody knows.
static void put_use(const struct run *run, struct line *line, const char *name, enum uses use)
{
    if ((run->uses & USES_UNKNOWN) != 0)
        line_null(line, name);
    else
        line_bool(line, name, (run->uses & use) != 0);
}

// --describe, and with --dry-run --json: all that others have to know of this command line, so that
// nobody else has to read it.
static void describe(struct run *run, const char *cpus)
{
    struct line line;
    bool known = false;
    const double percent = calibration_percent(run, &known);
    report_open(&line, "plan");
    line_text(&line, "load", run->load->name);
    line_text(&line, "unit", run->unit);
    line_count(&line, "threads", run->threads);
    // For as many workers elsewhere: null where they do not depend on that.
    if (run->threads > 0 && !run->listens && !options_given(run->options, "threads"))
        line_count(&line, "threads_to_give", run->threads);
    else
        line_null(&line, "threads_to_give");
    line_bool(&line, "pinned", run->load->pinned);
    line_text(&line, "cpus", cpus);
    line_bool(&line, "listens", run->listens);
    put_use(run, &line, "disk", USES_DISK);
    put_use(run, &line, "fills_memory", USES_MEMORY);
    line_fixed(&line, "memory_bytes", run->held_bytes + run->cached_bytes, 0); // infinite: null
    stages_describe(run, &line);
    if (percent > 0) {
        struct calibration_key key;
        calibration_key(run, &key);
        line_fixed(&line, "percent", percent, 6);
        line_text(&line, "percent_of", key.options);
        line_text(&line, "percent_on", key.subject);
        line_bool(&line, "calibrated", known);
    } else {
        line_null(&line, "percent");
    }
    report_write(&run->report, &line);
}

// --dry-run: what would be started, and where.
static int show_plan(struct run *run)
{
    struct cpu_list cpus;
    char text[CPUS_TEXT];
    engine_worker_cpus(run, &cpus);
    cpus_format(&cpus, text, sizeof text);
    if (run->report.json)
        describe(run, text);
    if (run->threads > 0)
        report_print(&run->report, "%s: %u worker%s%s CPU %s\n", run->load->name, run->threads,
                     run->threads == 1 ? "" : "s",
                     run->load->pinned ? ", each pinned to one of" : " on", text);
    else if (run->load->process && run->load->arguments)
        report_print(&run->report, "%s: a command on CPU %s\n", run->load->name, text);
    else
        report_print(&run->report, "%s: no workers\n", run->load->name);
    return 0;
}

// Or what is wanted in its place.
static int make_load(struct run *run)
{
    const char *limit = run->common.limit;
    char error[256];
    int code = -1;
    priority_set(run);
    if (run->common.calib)
        code = calibrate(run);
    else if (limit && rate_of(run, limit, &run->rate, error, sizeof error) != 0)
        usage_error("--limit: %s", error);
    else if (run->stages && stages_choose(run, error, sizeof error) != 0)
        usage_error("--stages: %s", error);
    if (code < 0 && run->arrivals != ARRIVALS_EVEN && isinf(run->rate) && !run->common.control)
        usage_error("--arrivals: there is no rate, so nothing is due: give --limit or --stages");
    if (code < 0 && run->load->instead)
        code = run->load->instead(run);
    if (code >= 0)
        return code;
    length_choose(run);
    return control_run(run);
}

static int run_load(const struct load *load, int argc, char **argv)
{
    static struct run run;
    run = (struct run){.load = load,
                       .unit = load->unit ? load->unit : UNIT_NONE,
                       .quantum = load->quantum > 0 ? load->quantum : 1,
                       .grain = load->grain,
                       .uses = load->uses,
                       .rate = INFINITY};
    settings_parse(&run, argc, argv);
    report_init(&run.report, run.common.json || run.common.control || run.common.describe);
    choose_cpus(&run);
    stages_read(&run);
    if (load->state_size > 0 && (run.state = zeroed_lines(1, load->state_size)) == NULL)
        usage_error("out of memory: free some");
    if (load->check)
        load->check(&run);
    room_claim_workers(&run);
    const bool only_plan = run.common.dry_run || run.common.describe;
    const int code = only_plan ? show_plan(&run) : make_load(&run);
    if (run.load->cleanup) // of the load that check() has chosen
        run.load->cleanup(&run);
    if (load->state_size > 0)
        free(run.state);
    stages_free(&run);
    settings_free(&run);
    ending_without_core(); // the control plane has given the signals back
    return report_end(&run.report) || code != 0 ? code : 1;
}

int main(int argc, char **argv)
{
    streams_open();
    ending_begin();
    if (argc < 2)
        usage_error("no load: give one, such as loadgen cpu --percent 50; see loadgen --help");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "--help-all") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_help();
        return 0;
    }
    if (strcmp(argv[1], "--calibrations") == 0) {
        print_calibrations();
        return 0;
    }
    if (strcmp(argv[1], "--list-options") == 0)
        return list_commands();
    if (strcmp(argv[1], "--version") == 0) {
        version_print("loadgen");
        libraries_print();
        return 0;
    }
    const struct load *load = find_load(argv[1]);
    return run_load(load, argc - 1, argv + 1);
}

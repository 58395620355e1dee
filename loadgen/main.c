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

// Checks a load whose options are read, and makes it, or says what it would be.
static int run_read(struct run *run)
{
    const struct load *load = run->load;
    choose_cpus(run);
    if (load->state_size > 0 && (run->state = zeroed_lines(1, load->state_size)) == NULL)
        usage_error("out of memory: free some");
    if (load->check)
        load->check(run);
    room_claim_workers(run);
    const bool only_plan = run->common.dry_run || run->common.describe;
    const int code = only_plan ? describe_plan(run) : make_load(run);
    if (run->load->cleanup) // of the load that check() has chosen
        run->load->cleanup(run);
    if (load->state_size > 0)
        free(run->state);
    return code;
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
    const struct common *common = &run.common;
    const bool describes = common->describe || common->only_words;
    report_init(&run.report, common->json || common->control || describes);
    stages_read(&run);
    if (describes)
        describe_words(&run);
    const int code = common->only_words ? 0 : run_read(&run);
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

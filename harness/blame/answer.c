// Writes what blame has found: for people, and as a record.

#include "blame.h"

#include "common/cpus.h"
#include "common/file.h"
#include "common/json.h"
#include "common/machine.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/processes.h"
#include "common/schemas.h"
#include "common/text.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

// The words of a running process, each as long as it is.
static char *command_of(pid_t pid)
{
    char path[PATH_MAX], text[4096];
    const char *words[128];
    size_t count = 0;
    const ssize_t length =
        file_load(AT_FDCWD, process_path(pid, "cmdline", path), text, sizeof text);
    if (length <= 0 || length == sizeof text - 1 || text[length - 1] != '\0')
        return NULL;
    for (size_t at = 0; at < (size_t)length && count < sizeof words / sizeof *words;
         at += strlen(text + at) + 1)
        words[count++] = text + at;
    return words_quote(words, count);
}

static char *victim_command(const struct answer *answer)
{
    size_t count = 0;
    if (answer->victim->kind == VICTIM_PID)
        return command_of(answer->victim->pid);
    if (answer->victim->kind != VICTIM_PROGRAM)
        return NULL;
    while (answer->options->program[count])
        count++;
    return words_quote((const char *const *)answer->options->program, count);
}

// A part of a CPU: who computes less has little use for caches, or slows nobody's.
#define MUCH_CPU 0.1

// Whether the rows have somebody to blame for what cost most.
static bool has_culprit(const struct answer *answer)
{
    const enum resource resource = answer->verdict.resource;
    return answer->rows.count > 0 && (resource == RESOURCE_CPU || resource == RESOURCE_DISK);
}

// Whether two CPUs have an L3 cache in common, as far as the kernel states it.
static bool shares_l3(int cpu, int other)
{
    struct cpu_list *list = must(calloc(1, sizeof *list));
    char path[PATH_MAX], inner[96], text[CPUS_TEXT];
    snprintf(inner, sizeof inner, "/sys/devices/system/cpu/cpu%d/cache/index3/shared_cpu_list",
             cpu);
    bool shared =
        cpu < 0 || other < 0 || !file_read(AT_FDCWD, machine_path(inner, path), text, sizeof text);
    text[shared ? 0 : strcspn(text, "\n")] = '\0';
    shared = shared || cpus_parse(text, list) != 0;
    for (unsigned i = 0; !shared && i < list->count; i++)
        shared = list->cpu[i] == other;
    free(list);
    return shared;
}

static bool can_be_paused(const struct row *row)
{
    return row->lead && !row->lead->kernel && row->lead->pid != 1 && !row->lead->ended;
}

// Of those who may slow the caches and the memory of a program that computes and waits for nobody,
// the busiest under its L3; NULL: there is none.
static const struct row *cache_suspect(const struct answer *answer)
{
    const struct who *victim = who_find(&answer->sampler->scan->whos, answer->victim->pid);
    const struct row *found = NULL;
    if (answer->verdict.resource != RESOURCE_NONE || answer->victim->kind == VICTIM_NODE ||
        answer->verdict.computed < MUCH_CPU)
        return NULL;
    for (size_t i = 0; i < answer->rows.count; i++) {
        const struct row *row = &answer->rows.row[i];
        if (can_be_paused(row) && row->cpus >= MUCH_CPU && (!found || row->cpus > found->cpus) &&
            shares_l3(victim ? victim->cpu : -1, row->lead->cpu))
            found = row;
    }
    return found;
}

// The command line of the experiment that tells for sure, to be freed; NULL: nobody to pause.
static char *answer_experiment(const struct answer *answer)
{
    char load[96];
    const struct row *row = has_culprit(answer) ? &answer->rows.row[0] : cache_suspect(answer);
    if (!row || !can_be_paused(row))
        return NULL;
    if (strncmp(row->label, "job ", 4) == 0)
        snprintf(load, sizeof load, "job:%s", row->label + 4);
    else
        snprintf(load, sizeof load, "pid:%d", (int)row->lead->pid);
    OWNED char *command = victim_command(answer);
    return text_of("jostle slowdown --pause --load neighbour=%s -- %s", load,
                   !command ? "PROGRAM" : command);
}

static void __attribute__((format(printf, 2, 3)))
add_note(struct answer *answer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(answer->note[answer->notes++], sizeof *answer->note, format, arguments);
    va_end(arguments);
}

// What the figures do not know.
static void add_notes(struct answer *answer)
{
    const struct sampler *sampler = answer->sampler;
    const struct facts *facts = &answer->facts;
    const bool victim = answer->victim->kind != VICTIM_NODE;
    if (victim && !sampler->schedstat)
        add_note(answer, "this kernel does not count waiting for CPUs (/proc/PID/schedstat): from "
                         "samples alone");
    if (victim && sampler->schedstat && answer->verdict.sampled &&
        answer->verdict.resource != RESOURCE_DISK)
        add_note(answer,
                 "%.0f %% of its CPU time was that of short processes: from samples, %.0f of them",
                 100 * answer->rows.unseen, sampler->samples);
    if (isnan(facts->cpu_some))
        add_note(answer, "this kernel shows no pressure (PSI): boot with psi=1");
    if (facts->heat_throttles > 0)
        add_note(answer, "heat: the CPUs were slowed down %.0f times: check the cooling",
                 facts->heat_throttles);
    if (facts->swap_in_per_s > 0)
        add_note(answer, "memory is short: %.0f pages/s came back from swap", facts->swap_in_per_s);
    else if (facts->memory_some > 0.01)
        add_note(answer, "memory is short: some program waited for it %.1f %% of the time",
                 100 * facts->memory_some);
    if (sampler->left_out > 0)
        add_note(answer, "more threads than %d: some were not sampled", SAMPLE_TASKS);
    if (victim && answer->ended)
        add_note(answer, "it ended: all of this is of the time until then");
    if (answer->status != 0)
        add_note(answer, "it ended with exit status %d", answer->status);
    if (!answer->gate || !gate_is_short(answer->gate, answer->state))
        return;
    add_note(answer,
             "--at-most: too short to tell: it takes two slices of half a second at least: give %s",
             answer->victim->kind == VICTIM_PROGRAM ? "it more to do" : "--duration 2s or more");
    if (answer->options->quiet)
        complain("%s", answer->note[answer->notes - 1]);
}

void answer_make(struct answer *answer)
{
    answer->made = time(NULL);
    rows_make(&answer->rows, answer->sampler, &answer->facts);
    verdict_make(&answer->verdict, answer->victim, answer->sampler, &answer->facts, &answer->rows);
    if (answer->verdict.resource == RESOURCE_DISK)
        rows_sort_by_disk(&answer->rows);
    if (answer->gate)
        answer->state =
            gate_judge(answer->gate, &answer->verdict, answer->options->at_most, &answer->worst);
    add_notes(answer);
}

// The answer as a record.

static void put_victim(struct line *json, const struct answer *answer)
{
    static const char *const kinds[] = {"node", "program", "pid", "cgroup", "job"};
    char text[300];
    victim_text(answer->victim, text, sizeof text);
    line_object(json, "victim");
    line_text(json, "kind", kinds[answer->victim->kind]);
    line_text(json, "name", text);
    if (answer->victim->pid > 0)
        line_integer(json, "pid", answer->victim->pid);
    line_fixed(json, "cpus", answer->rows.victim_cpus, 4);
    line_fixed(json, "disk_bytes_per_s", answer->rows.victim_bytes_per_s, 0);
    line_bool(json, "ended", answer->ended);
    line_close(json);
}

static void put_verdict(struct line *json, const struct judgement *verdict)
{
    line_object(json, "verdict");
    line_text(json, "text", verdict->text);
    line_text(json, "resource", resource_names[verdict->resource]);
    line_fixed(json, "factor", verdict->factor, 4);
    line_array(json, "range");
    line_fixed(json, NULL, verdict->low, 4);
    line_fixed(json, NULL, verdict->high, 4);
    line_close(json);
    line_bool(json, "sampled", verdict->sampled);
    line_bool(json, "at_least", verdict->at_least);
    line_fixed(json, "without_s", verdict->without_s, 6);
    line_fixed(json, "ran", verdict->ran, 4);
    line_fixed(json, "waited_others", verdict->waited_others, 4);
    line_fixed(json, "waited_own", verdict->waited_own, 4);
    line_fixed(json, "at_disk", verdict->at_disk, 4);
    line_fixed(json, "quota", verdict->quota, 4);
    line_fixed(json, "stopped", verdict->stopped, 4);
    line_fixed(json, "blocked", verdict->blocked, 4);
    line_fixed(json, "asleep", verdict->asleep, 4);
    line_fixed(json, "steal", verdict->stolen, 4);
    line_close(json);
}

static void put_culprits(struct line *json, const struct answer *answer)
{
    line_array(json, "culprits");
    for (size_t i = 0; i < answer->rows.count; i++) {
        const struct row *row = &answer->rows.row[i];
        char text[256];
        row_text(row, text, sizeof text);
        line_object(json, NULL);
        line_text(json, "text", text);
        if (row->lead) {
            line_integer(json, "pid", row->lead->pid);
            line_text(json, "name", row->lead->name);
            line_text(json, "user", row->user);
        }
        if (row->label[0] != '\0')
            line_text(json, "group", row->label);
        line_bool(json, "short_processes", row->family);
        line_count(json, "processes", row->processes);
        line_fixed(json, "cpus", row->cpus, 4);
        line_fixed(json, "blame", row->blame, 4);
        line_fixed(json, "beside", row->beside, 4);
        line_fixed(json, "disk_bytes_per_s", row->bytes_per_s, 0);
        line_fixed(json, "at_disk", row->at_disk, 4);
        line_close(json);
    }
    line_close(json);
}

static void put_kernel(struct line *json, const struct facts *facts, double others_cpus)
{
    line_object(json, "kernel");
    line_fixed(json, "cpus", facts->cpus, 0);
    line_fixed(json, "busy_cpus", facts->busy_cpus, 4);
    line_fixed(json, "others_cpus", others_cpus, 4);
    line_fixed(json, "own_cpus", facts->own_cpus, 5);
    line_fixed(json, "cpu_some", facts->cpu_some, 4);
    line_fixed(json, "memory_some", facts->memory_some, 4);
    line_fixed(json, "io_some", facts->io_some, 4);
    line_fixed(json, "steal", facts->steal, 4);
    line_fixed(json, "throttled", facts->throttled, 4);
    line_fixed(json, "swap_in_per_s", facts->swap_in_per_s, 1);
    line_fixed(json, "heat_throttles", facts->heat_throttles, 0);
    line_fixed(json, "clock_mhz", facts->clock_mhz, 0);
    line_fixed(json, "memory_bytes_per_s", facts->memory_per_s, 0);
    line_fixed(json, "disk_bytes_per_s", facts->disk_per_s, 0);
    line_fixed(json, "network_bytes_per_s", facts->network_per_s, 0);
    line_fixed(json, "loopback_bytes_per_s", facts->loopback_per_s, 0);
    line_close(json);
}

static void put_gate(struct line *json, const struct answer *answer)
{
    double share, error;
    if (!answer->gate)
        return;
    line_object(json, "at_most");
    line_fixed(json, "limit", answer->options->at_most, 6);
    line_text(json, "state", verdict_names[answer->state]);
    line_text(json, "worst", gate_words[answer->worst].name);
    line_array(json, "facts");
    for (enum gate_fact fact = 0; fact < GATE_FACTS; fact++) {
        if (!gate_share(answer->gate, fact, &share, &error))
            continue;
        line_object(json, NULL);
        line_text(json, "name", gate_words[fact].name);
        line_fixed(json, "share", share, 5);
        line_fixed(json, "error", error, 5);
        line_close(json);
    }
    line_close(json);
    line_close(json);
}

char *answer_record(const struct answer *answer)
{
    struct line json = {0};
    struct utsname names;
    char made[DATE_SIZE];
    line_object(&json, NULL);
    line_text(&json, "schema", SCHEMA_BLAME);
    line_text(&json, "made", date_utc(answer->made, made));
    line_text(&json, "host", uname(&names) == 0 ? names.nodename : "");
    line_fixed(&json, "duration_s", answer->facts.duration_s, 6);
    put_victim(&json, answer);
    put_verdict(&json, &answer->verdict);
    put_culprits(&json, answer);
    line_bool(&json, "exact", answer->rows.exact);
    put_kernel(&json, &answer->facts, answer->rows.others_cpus);
    put_gate(&json, answer);
    line_count(&json, "samples", (uint64_t)answer->sampler->samples);
    line_array(&json, "notes");
    for (size_t i = 0; i < answer->notes; i++)
        line_text(&json, NULL, answer->note[i]);
    line_close(&json);
    OWNED char *experiment = answer_experiment(answer);
    line_text(&json, "experiment", experiment);
    char *text = must((char *)(!line_end(&json) ? NULL : strdup(json.text)));
    line_free(&json);
    return text;
}

// The answer for people. What processes call themselves is made visible.

enum { SHOWN = 8 };
// In less the kernel's ticks count nobody.
#define LEAST_S 0.1

static void print_visible(const char *text)
{
    OWNED char *visible = must(visible_copy(text));
    fputs(visible, stdout);
}

static const char *rate_text(double bytes_per_s, char text[32])
{
    if (bytes_per_s >= 1e9)
        snprintf(text, 32, "%.2f GB/s", bytes_per_s / 1e9);
    else
        snprintf(text, 32, "%.*f MB/s", bytes_per_s < 1e7 ? 2 : 0, bytes_per_s / 1e6);
    return text;
}

// "make -j4 (pid 4711, root, job 42)", behind so many columns.
static void print_who(const struct row *row, int indent)
{
    char text[256];
    row_text(row, text, sizeof text);
    const bool known = row->lead != NULL;
    OWNED char *who = !known ? text_of("%s", text)
                             : text_of("%s (pid %d, %s%s%s)", text, (int)row->lead->pid, row->user,
                                       row->label[0] != '\0' ? ", " : "", row->label);
    OWNED char *visible = must(visible_copy(who));
    fold_behind(stdout, visible, (size_t)indent, fold_columns(STDOUT_FILENO));
    putchar('\n');
}

static void print_cpus(const struct answer *answer)
{
    const struct rows *rows = &answer->rows;
    const struct facts *facts = &answer->facts;
    const bool victim = answer->victim->kind != VICTIM_NODE;
    const bool waited = victim && answer->verdict.waited_others >= 0.01;
    double rest = rows->others_cpus;
    size_t shown = 0;
    printf("\nCPUs: %.2f of %.0f busy", facts->busy_cpus, facts->cpus);
    if (victim)
        printf(", %.2f by it", rows->victim_cpus);
    printf(", %.2f by others%s\n", rows->others_cpus, rows->others_cpus >= 0.01 ? ":" : "");
    for (size_t i = 0; i < rows->count && shown < SHOWN; i++) {
        const struct row *row = &rows->row[i];
        if (row->cpus < 0.01 && (row->blame < 0.01 || !waited))
            continue;
        if (shown++ == 0)
            printf("%s", waited ? "  to blame   CPUs  beside it\n" : "    CPUs\n");
        int indent;
        if (waited && row->lead)
            indent = printf("  %6.0f %%  %5.2f  %7.0f %%  ", 100 * row->blame, row->cpus,
                            100 * row->beside);
        else if (waited) // whose CPU nobody has seen
            indent = printf("  %6.0f %%  %5.2f             ", 100 * row->blame, row->cpus);
        else
            indent = printf("  %6.2f  ", row->cpus);
        print_who(row, indent);
        rest -= row->cpus;
    }
    if (shown > 0 && rest >= 0.01)
        printf(waited ? "            %5.2f             all others\n" : "  %6.2f  all others\n",
               rest);
}

static void print_disks(const struct answer *answer)
{
    struct rows rows = answer->rows;
    char rate[32];
    size_t shown = 0;
    if (!(answer->facts.disk_per_s >= 1e6) && answer->verdict.at_disk < 0.05)
        return;
    printf("\ndisks: %s", isnan(answer->facts.disk_per_s)
                              ? "not counted"
                              : rate_text(answer->facts.disk_per_s, rate));
    if (answer->victim->kind != VICTIM_NODE)
        printf(", it %s", rate_text(answer->rows.victim_bytes_per_s, rate));
    printf("\n");
    rows_sort_by_disk(&rows);
    for (size_t i = 0; i < rows.count && shown < SHOWN / 2; i++) {
        const struct row *row = &rows.row[i];
        if (row->bytes_per_s < 1e5 && row->at_disk < 0.02)
            continue;
        const int indent = printf("  %10s  waiting %3.0f %%  ", rate_text(row->bytes_per_s, rate),
                                  100 * fmin(row->at_disk, 1));
        print_who(row, indent);
        shown++;
    }
}

static void print_rest(const struct answer *answer)
{
    const struct facts *facts = &answer->facts;
    char rate[32];
    if (facts->loopback_per_s >= 1e7)
        printf("\nnetwork: %s through this machine's loopback; the kernel does not say whose\n",
               rate_text(facts->loopback_per_s, rate));
    if (facts->network_per_s >= 1e7)
        printf("\nnetwork: %s in and out; the kernel does not say whose\n",
               rate_text(facts->network_per_s, rate));
    if (facts->memory_per_s > 0)
        printf("\nmemory: %s by all (resctrl)\n", rate_text(facts->memory_per_s, rate));
    for (size_t i = 0; i < answer->notes; i++)
        printf("note: %s\n", answer->note[i]);
}

static void print_gate(const struct answer *answer)
{
    double share, error;
    char figure[64];
    if (!answer->gate || !gate_share(answer->gate, answer->worst, &share, &error))
        return;
    snprintf(figure, sizeof figure, "%.1f ± %.1f %%", 100 * share, 100 * error);
    printf("\n--at-most %g %%: %s: ", 100 * answer->options->at_most, verdict_names[answer->state]);
    const char *text = gate_words[answer->worst].text, *at = strstr(text, "%s");
    printf("%.*s%s%s\n", (int)(at - text), text, figure, at + 2);
}

void answer_print(const struct answer *answer)
{
    OWNED char *verdict = must(visible_copy(answer->verdict.text));
    fold_behind(stdout, verdict, 0, fold_columns(STDOUT_FILENO));
    printf("\n");
    if (answer->facts.duration_s >= LEAST_S) {
        print_cpus(answer);
        print_disks(answer);
    }
    print_rest(answer);
    print_gate(answer);
    OWNED char *experiment = answer_experiment(answer);
    if (experiment) {
        printf(
            answer->verdict.resource != RESOURCE_NONE
                ? "\nwhat it would gain, measured:\n  "
                : "\nwhether the busiest under its L3 cache slows its caches or memory: try\n  ");
        print_visible(experiment);
        printf("\n");
    }
}

void answer_print_line(const struct answer *answer)
{
    char time[32] = "", text[256];
    struct tm local;
    if (localtime_r(&answer->made, &local))
        strftime(time, sizeof time, "%H:%M:%S", &local);
    printf("%s  ", time);
    print_visible(answer->verdict.text);
    for (size_t i = 0, said = 0; has_culprit(answer) && i < answer->rows.count; i++) {
        const struct row *row = &answer->rows.row[i];
        // Two, and, wherever it is, who cannot be seen.
        if (i >= 2 && (row->lead || row->blame < 0.01))
            continue;
        row_text(row, text, sizeof text);
        printf(said++ == 0 ? ": " : ", ");
        print_visible(text);
        if (answer->verdict.resource == RESOURCE_CPU)
            printf(" %.0f %%,", 100 * row->blame);
        printf(" %.2f CPUs", row->cpus);
    }
    printf("\n");
    fflush(stdout);
}

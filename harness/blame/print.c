/* The answer for people. What processes call themselves is made visible. */

#include "harness/blame/answer.h"

#include "common/memory.h"
#include "common/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 8 };
/* In less the kernel's ticks count nobody. */
#define LEAST_S 0.1

static void print_visible(const char *text)
{
    char *visible = must(visible_copy(text));
    fputs(visible, stdout);
    free(visible);
}

static const char *rate_text(double bytes_per_s, char text[32])
{
    if (bytes_per_s >= 1e9)
        snprintf(text, 32, "%.2f GB/s", bytes_per_s / 1e9);
    else
        snprintf(text, 32, "%.*f MB/s", bytes_per_s < 1e7 ? 2 : 0, bytes_per_s / 1e6);
    return text;
}

/* "pid 4711, root, job 42" */
static void print_who(const struct row *row)
{
    char text[256];
    row_text(row, text, sizeof text);
    print_visible(text);
    if (row->lead == NULL)
        return;
    printf("  (pid %d, ", (int)row->lead->pid);
    print_visible(row->user);
    if (row->label[0] != '\0') {
        printf(", ");
        print_visible(row->label);
    }
    printf(")");
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
        if (waited)
            printf("  %6.0f %%  %5.2f  %7.0f %%  ", 100 * row->blame, row->cpus, 100 * row->beside);
        else
            printf("  %6.2f  ", row->cpus);
        print_who(row);
        printf("\n");
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
        printf("  %10s  waiting %3.0f %%  ", rate_text(row->bytes_per_s, rate),
               100 * fmin(row->at_disk, 1));
        print_who(row);
        printf("\n");
        shown++;
    }
}

static void print_rest(const struct answer *answer)
{
    const struct facts *facts = &answer->facts;
    char rate[32], text[256];
    if (facts->loopback_per_s >= 1e7)
        printf("\nnetwork: %s through this machine's loopback; the kernel does not say whose\n",
               rate_text(facts->loopback_per_s, rate));
    if (facts->network_per_s >= 1e7)
        printf("\nnetwork: %s in and out; the kernel does not say whose\n",
               rate_text(facts->network_per_s, rate));
    if (facts->memory_per_s > 0)
        printf("\nmemory: %s by all (resctrl)\n", rate_text(facts->memory_per_s, rate));
    for (size_t i = 0; answer_note(answer, i, text, sizeof text); i++)
        if (*text != '\0')
            printf("note: %s\n", text);
}

static void print_gate(const struct answer *answer)
{
    double share, error;
    char figure[64];
    if (!answer->gated || !gate_share(answer->gate, answer->worst, &share, &error))
        return;
    snprintf(figure, sizeof figure, "%.1f ± %.1f %%", 100 * share, 100 * error);
    printf("\n--at-most %g %%: %s: ", 100 * answer->options->at_most,
           gate_state_name(answer->state));
    const char *text = gate_fact_text(answer->worst), *at = strstr(text, "%s");
    printf("%.*s%s%s\n", (int)(at - text), text, figure, at + 2);
}

void answer_print(const struct answer *answer)
{
    print_visible(answer->verdict.text);
    printf("\n");
    if (answer->facts.duration_s >= LEAST_S) {
        print_cpus(answer);
        print_disks(answer);
    }
    print_rest(answer);
    print_gate(answer);
    char *experiment = answer_experiment(answer);
    if (experiment != NULL) {
        printf("\nwhat it would gain, measured:\n  ");
        print_visible(experiment);
        printf("\n");
    }
    free(experiment);
}

void answer_print_line(const struct answer *answer)
{
    char time[32] = "", text[256];
    struct tm local;
    if (localtime_r(&answer->made, &local) != NULL)
        strftime(time, sizeof time, "%H:%M:%S", &local);
    printf("%s  ", time);
    print_visible(answer->verdict.text);
    for (size_t i = 0; i < answer->rows.count && i < 2 && answer->verdict.factor > 1.05; i++) {
        const struct row *row = &answer->rows.row[i];
        row_text(row, text, sizeof text);
        printf(i == 0 ? ": " : ", ");
        print_visible(text);
        printf(" %.2f CPUs", row->cpus);
    }
    printf("\n");
    fflush(stdout);
}

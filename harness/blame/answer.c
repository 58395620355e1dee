#include "harness/blame/answer.h"

#include "common/machine.h"
#include "common/memory.h"
#include "common/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void answer_make(struct answer *answer)
{
    answer->made = time(NULL);
    rows_make(&answer->rows, answer->sampler, &answer->facts);
    verdict_make(&answer->verdict, answer->victim, answer->sampler, &answer->facts, &answer->rows);
    if (answer->verdict.resource == RESOURCE_DISK)
        rows_sort_by_disk(&answer->rows);
    answer->gated = answer->gate != NULL;
    if (answer->gated)
        answer->state =
            gate_judge(answer->gate, &answer->verdict, answer->options->at_most, &answer->worst);
}

/* The words of a running process, each as long as it is. */
static char *command_of(pid_t pid)
{
    char inner[64], path[PATH_MAX], text[4096];
    const char *words[128];
    size_t count = 0;
    snprintf(inner, sizeof inner, "/proc/%d/cmdline", (int)pid);
    FILE *file = fopen(machine_path(inner, path), "re");
    const size_t length = file == NULL ? 0 : fread(text, 1, sizeof text, file);
    if (file != NULL)
        fclose(file);
    if (length == 0 || length == sizeof text || text[length - 1] != '\0')
        return NULL;
    for (size_t at = 0; at < length && count < sizeof words / sizeof *words;
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
    while (answer->options->program[count] != NULL)
        count++;
    return words_quote((const char *const *)answer->options->program, count);
}

char *answer_experiment(const struct answer *answer)
{
    char load[96];
    const struct row *row = answer->rows.count == 0 ? NULL : &answer->rows.row[0];
    const enum resource resource = answer->verdict.resource;
    if ((resource != RESOURCE_CPU && resource != RESOURCE_DISK) || row == NULL ||
        row->lead == NULL || row->lead->kernel || row->lead->pid == 1 || row->lead->ended)
        return NULL;
    if (strncmp(row->label, "job ", 4) == 0)
        snprintf(load, sizeof load, "job:%s", row->label + 4);
    else
        snprintf(load, sizeof load, "pid:%d", (int)row->lead->pid);
    char *command = victim_command(answer);
    char *text = text_of("jostle slowdown --pause --load neighbour=%s -- %s", load,
                         command == NULL ? "PROGRAM" : command);
    free(command);
    return text;
}

bool answer_note(const struct answer *answer, size_t i, char *text, size_t size)
{
    const struct sampler *sampler = answer->sampler;
    const bool victim = answer->victim->kind != VICTIM_NODE;
    *text = '\0';
    switch (i) {
    case 0:
        if (victim && !sampler->schedstat)
            snprintf(text, size,
                     "this kernel does not count waiting for CPUs "
                     "(/proc/PID/schedstat): from samples alone");
        break;
    case 1:
        if (victim && sampler->schedstat && answer->verdict.sampled &&
            answer->verdict.resource != RESOURCE_DISK)
            snprintf(text, size,
                     "%.0f %% of its CPU time was that of short processes: from samples, %.0f "
                     "of them",
                     100 * answer->rows.unseen, sampler->samples);
        break;
    case 2:
        if (isnan(answer->facts.cpu_some))
            snprintf(text, size, "this kernel shows no pressure (PSI): boot with psi=1");
        break;
    case 3:
        if (answer->facts.heat_throttles > 0)
            snprintf(text, size, "heat: the CPUs were slowed down %.0f times: check the cooling",
                     answer->facts.heat_throttles);
        break;
    case 4:
        if (answer->facts.swap_in_per_s > 0)
            snprintf(text, size, "memory is short: %.0f pages/s came back from swap",
                     answer->facts.swap_in_per_s);
        else if (answer->facts.memory_some > 0.01)
            snprintf(text, size, "memory is short: some program waited for it %.1f %% of the time",
                     100 * answer->facts.memory_some);
        break;
    case 5:
        if (sampler->left_out > 0)
            snprintf(text, size, "more threads than %d: some were not sampled", SAMPLE_TASKS);
        break;
    case 6:
        if (victim && answer->ended)
            snprintf(text, size, "it ended: all of this is of the time until then");
        break;
    case 7:
        if (answer->status != 0)
            snprintf(text, size, "it ended with exit status %d", answer->status);
        break;
    default:
        return false;
    }
    return true;
}

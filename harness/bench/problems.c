// The problems that a bench finds in its figures, one table: docs/bench.md has the same.

#include "bench.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "harness/stats/json.h"

#include <string.h>

static const struct problem {
    const char *flag, *text, *advice;
} problems[] = {
    {.flag = "above-peak",
     .text = "the figure is above the theoretical peak, with its whole interval",
     .advice = "one of the two is not what it is said to be: see the source of the peak"},
    {.flag = "above-device",
     .text = "the kernel says that less reached the device than the program claims",
     .advice = "a cache answered: measure direct, or with a file larger than memory"},
    {.flag = "cache-sized",
     .text = "an array is less than 4 times the last-level caches, or all are less than where "
             "latency stops rising: caches may serve a part of it",
     .advice = "read it as a bound: leave out --quick, or give more memory"},
    {.flag = "sparse-file",
     .text = "parts of the file were never written, so that reading them reads no disk",
     .advice = "write the whole file before it is read"},
    {.flag = "cached-as-direct",
     .text = "the file system does not bypass its cache although it was asked to",
     .advice = "measure on another file system, or read the row as cached"},
    {.flag = "beyond-cpus",
     .text = "more threads than this process may use CPUs: they take turns",
     .advice = "read it as what oversubscription does, not as scaling"},
    {.flag = "not-converged",
     .text = "the error is larger than --error allows",
     .advice = "allow more runs with --max-runs, or longer ones with --duration"},
    {.flag = "peer-failed",
     .text = "a peer failed in some or all of its runs",
     .advice = "see failed/ in the folder of the cell"},
    {.flag = "invalid",
     .text = "the program's own check of its result failed",
     .advice = "do not use the figure: the memory, the CPU or the program is faulty"},
    {.flag = "short",
     .text = "a run was too short for its figure",
     .advice = "measure longer, with --duration"},
    {.flag = NULL}};

json_t *problem_json(const char *flag, const char *text)
{
    const struct problem *problem = problems;
    while (problem->flag && strcmp(problem->flag, flag) != 0)
        problem++;
    return must(json_pack("{s:s, s:o, s:o}", "flag", flag, "text",
                          json_text(text ? text : problem->text), "advice",
                          json_text(problem->advice)));
}

const char *problem_likely(const char *part)
{
    static const char *const likely[][2] = {
        {"cpu", "likely the clock rose after it was measured, or the CPU has more or wider ports "
                "than is assumed"},
        {"memory", "likely a cache answered, or a hypervisor's DIMMs are not those that DMI names"},
        {"disk", "likely a cache answered: the page cache, the device's or the hypervisor's"},
        {"network", "likely the two ends are on one machine, and no wire is between them"},
    };
    for (size_t i = 0; i < sizeof likely / sizeof *likely; i++)
        if (strcmp(likely[i][0], part) == 0)
            return likely[i][1];
    return "see the source of the peak";
}

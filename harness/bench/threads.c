/* --threads: with how many threads all is measured. */
#include "options.h"

#include "common/machine.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/units.h"

#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static void add_thread(struct request *request, unsigned threads)
{
    for (size_t i = 0; i < request->thread_count; i++)
        if (request->thread[i] == threads)
            return;
    request->thread[request->thread_count++] = threads;
}

/* A number of --threads; one beyond the limit is left out, and the rest measured. */
static void read_thread(struct request *request, const char *word)
{
    uint64_t threads;
    if (units_count(word, &threads) != 0 || threads == 0)
        usage_error("--threads %s: %s is no number of threads: give numbers from 1 to %d, such as "
                    "1,2,4,8",
                    request->threads, *word == '\0' ? "an empty word" : word, MOST_THREADS);
    if (threads <= MOST_THREADS)
        add_thread(request, (unsigned)threads);
    else if (request->expand == NULL) /* said once: the shell asks for the plan first */
        complain("--threads %s: beyond the limit of %d: left out", word, MOST_THREADS);
}

static void read_list(struct request *request)
{
    char *copy = must(strdup(request->threads)), *rest = copy;
    request->thread = must(calloc(strlen(copy) / 2 + 1, sizeof *request->thread));
    for (char *word; (word = strsep(&rest, ",")) != NULL;)
        read_thread(request, word);
    free(copy);
    if (request->thread_count == 0)
        usage_error("--threads %s: nothing is left to measure: give numbers from 1 to %d",
                    request->threads, MOST_THREADS);
    qsort(request->thread, request->thread_count, sizeof *request->thread, ascending);
}

unsigned threads_allowed(void)
{
    struct cpu_list allowed;
    return cpus_allowed(&allowed) == 0 && allowed.count > 0 ? allowed.count : 1;
}

static void default_threads(struct request *request)
{
    static const unsigned full[] = {1, 2, 4, 8};
    request->thread = must(calloc(4, sizeof *request->thread));
    if (request->quick) {
        add_thread(request, 1);
        add_thread(request, threads_allowed());
        return;
    }
    for (size_t i = 0; i < sizeof full / sizeof *full; i++)
        add_thread(request, full[i]);
}

void threads_read(struct request *request)
{
    if (request->threads == NULL)
        default_threads(request);
    else
        read_list(request);
}

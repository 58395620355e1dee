// Lists of the command line: over which threads, blocks and sizes all is measured.

#include "bench.h"

#include "common/cpus.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/units.h"

#include <string.h>

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// The value of a word; 0: it is none, or is left out after a message.
typedef uint64_t read_word(const struct bench_request *request, const char *word);

// The values of a list such as 1,2,4, ascending, each once. Returns how many.
static size_t read_list(const struct bench_request *request, const char *text, read_word *read,
                        uint64_t **values)
{
    char *copy = must(strdup(text)), *rest = copy;
    size_t count = 0, kept = 0;
    uint64_t *list = must(calloc(strlen(text) / 2 + 1, sizeof *list));
    for (char *word; (word = strsep(&rest, ",")) != NULL;) {
        list[count] = read(request, word);
        count += list[count] != 0;
    }
    free(copy);
    qsort(list, count, sizeof *list, ascending);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || list[i] != list[kept - 1])
            list[kept++] = list[i];
    *values = list;
    return kept;
}

// A number of --threads; one beyond the limit is left out, and the rest measured.
static uint64_t read_thread(const struct bench_request *request, const char *word)
{
    uint64_t threads;
    if (units_count(word, &threads) != 0 || threads == 0)
        usage_error("--threads %s: %s is no number of threads: give numbers from 1 to %d, such as "
                    "1,2,4,8",
                    request->thread_list, *word == '\0' ? "an empty word" : word, MOST_THREADS);
    if (threads <= MOST_THREADS)
        return threads;
    if (!request->expand) // said once: the shell asks for the plan first
        complain("--threads %s: beyond the limit of %d: left out", word, MOST_THREADS);
    return 0;
}

static uint64_t read_block(const struct bench_request *request, const char *word)
{
    uint64_t bytes;
    if (units_size(word, &bytes) != 0 || bytes == 0 || bytes > MOST_BLOCK)
        usage_error("--blocks %s: %s is no size of a block: give sizes from 1 to 1G, such as "
                    "4K,1M,100M",
                    request->block_list, *word == '\0' ? "an empty word" : word);
    return bytes;
}

static uint64_t read_size(const struct bench_request *request, const char *word)
{
    uint64_t size;
    if (units_count(word, &size) != 0 || size == 0 || size > MOST_SIZE)
        usage_error("--sizes %s: %s is not a number of equations: give numbers from 1 to %d, such "
                    "as 1000,5000,10000",
                    request->size_list, *word == '\0' ? "an empty word" : word, MOST_SIZE);
    return size;
}

void bench_lists_read(struct bench_request *request)
{
    char text[32];
    struct cpu_list allowed;
    request->allowed_cpus = cpus_allowed(&allowed) == 0 && allowed.count > 0 ? allowed.count : 1;
    snprintf(text, sizeof text, "1,%u", request->allowed_cpus);
    const char *usual = request->quick || request->size_list ? text : "1,2,4,8";
    request->thread_count = read_list(request, request->thread_list ? request->thread_list : usual,
                                      read_thread, &request->threads);
    if (request->thread_count == 0)
        usage_error("--threads %s: nothing is left to measure: give numbers from 1 to %d",
                    request->thread_list, MOST_THREADS);
    if (request->block_list)
        request->block_count =
            read_list(request, request->block_list, read_block, &request->blocks);
    if (request->size_list)
        request->size_count = read_list(request, request->size_list, read_size, &request->sizes);
}

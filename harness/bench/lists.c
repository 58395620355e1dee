#include "options.h"

#include "common/machine.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Over which threads and blocks all is measured, which tables there are ready, and the peaks that
 * the user states. */

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The value of a word; 0: it is none, or is left out after a message. */
typedef uint64_t read_word(const struct request *request, const char *word);

/* The values of a list such as 1,2,4, ascending, each once. Returns how many. */
static size_t read_list(const struct request *request, const char *text, read_word *read,
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

/* A number of --threads; one beyond the limit is left out, and the rest measured. */
static uint64_t read_thread(const struct request *request, const char *word)
{
    uint64_t threads;
    if (units_count(word, &threads) != 0 || threads == 0)
        usage_error("--threads %s: %s is no number of threads: give numbers from 1 to %d, such as "
                    "1,2,4,8",
                    request->threads, *word == '\0' ? "an empty word" : word, MOST_THREADS);
    if (threads <= MOST_THREADS)
        return threads;
    if (request->expand == NULL) /* said once: the shell asks for the plan first */
        complain("--threads %s: beyond the limit of %d: left out", word, MOST_THREADS);
    return 0;
}

static uint64_t read_block(const struct request *request, const char *word)
{
    uint64_t bytes;
    if (units_size(word, &bytes) != 0 || bytes == 0 || bytes > MOST_BLOCK)
        usage_error("--blocks %s: %s is no size of a block: give sizes from 1 to 1G, such as "
                    "4K,1M,100M",
                    request->blocks, *word == '\0' ? "an empty word" : word);
    return bytes;
}

unsigned threads_allowed(void)
{
    struct cpu_list allowed;
    return cpus_allowed(&allowed) == 0 && allowed.count > 0 ? allowed.count : 1;
}

static void read_threads(struct request *request)
{
    char text[32];
    uint64_t *list;
    snprintf(text, sizeof text, "1,%u", threads_allowed());
    const char *usual = request->quick ? text : "1,2,4,8";
    request->thread_count =
        read_list(request, request->threads != NULL ? request->threads : usual, read_thread, &list);
    if (request->thread_count == 0)
        usage_error("--threads %s: nothing is left to measure: give numbers from 1 to %d",
                    request->threads, MOST_THREADS);
    request->thread = must(calloc(request->thread_count, sizeof *request->thread));
    for (size_t i = 0; i < request->thread_count; i++)
        request->thread[i] = (unsigned)list[i];
    free(list);
}

void lists_read(struct request *request)
{
    read_threads(request);
    if (request->blocks != NULL)
        request->block_count = read_list(request, request->blocks, read_block, &request->block);
}

const char *block_text(uint64_t bytes, const char *space, char text[BLOCK_TEXT])
{
    char exact[BLOCK_TEXT];
    const size_t digits = strspn(units_exact_size(bytes, exact, sizeof exact), "0123456789");
    snprintf(text, BLOCK_TEXT, "%.*s%s%s", (int)digits, exact, space,
             exact[digits] == '\0' ? "B" : exact + digits);
    return text;
}

/* ---- ready tables ---- */

enum { MYCPU, MYRAM, MYDISK, MYDISK_IOPS, MYNET, LINPACK, STREAM, BONNIE, SAMPLES, TABLES };

const char *const table_names[] = {
    [MYCPU] = "mycpubench",   [MYRAM] = "myrambench",
    [MYDISK] = "mydiskbench", [MYDISK_IOPS] = "mydiskbench-iops",
    [MYNET] = "mynetbench",   [LINPACK] = "linpack",
    [STREAM] = "stream",      [BONNIE] = "bonnie",
    [SAMPLES] = "samples",    [TABLES] = NULL,
};

static const struct table {
    const char *part, *threads, *blocks, *rows;
    uint64_t samples;
} tables[] = {
    [MYCPU] = {"cpu", "1,2,4", .rows = "cpu.*"},
    [MYRAM] = {"memory", "1,2,4", "1,1K,1M,10M", "memory.*.[sr][ea][qn]*"},
    [MYDISK] = {"disk", "1,2,4", "1M,10M,100M", "disk.*.direct.*"},
    [MYDISK_IOPS] = {"disk", "1,2,4,8,16,32,64,128", "1K", "disk.*.random.direct.*"},
    [MYNET] = {"network", "1,2,4,8", "1,1K,32K", "network.*"},
    [LINPACK] = {"cpu", .rows = "cpu.linpack.*"},
    [STREAM] = {"memory", .rows = "memory.stream.*"},
    [BONNIE] = {"disk", .rows = "disk.bonnie.*"},
    [SAMPLES] = {"cpu", .rows = "*.series", .samples = 600},
};

const char *table_take(struct request *request)
{
    const struct table *table = &tables[request->table];
    if (request->quick)
        usage_error("--table %s: it has rows of its own: leave out --quick",
                    table_names[request->table]);
    if (*request->operand != NULL)
        usage_error("--table %s: it is of the part %s: leave out %s", table_names[request->table],
                    table->part, *request->operand);
    if (request->threads == NULL)
        request->threads = table->threads;
    if (request->blocks == NULL)
        request->blocks = table->blocks;
    request->rows = table->rows;
    if (request->samples == 0)
        request->samples = table->samples;
    return table->part;
}

/* ---- stated peaks ---- */

/* PART=RATE:SOURCE; the rate in bytes a second. NULL: it is none. The source. */
static const char *peak_split(const char *text, size_t part_length, double *bytes_per_s)
{
    struct rate rate;
    const char *colon = strchr(text, ':');
    if (text[part_length] != '=' || colon == NULL || colon[1] == '\0')
        return NULL;
    char *figure = must(strndup(text + part_length + 1, (size_t)(colon - text) - part_length - 1));
    const bool good = units_rate(figure, &rate) == 0 && rate.kind == RATE_BYTES && rate.value > 0;
    free(figure);
    *bytes_per_s = rate.value;
    return good ? colon + 1 : NULL;
}

bool peak_check(const char *text, char *error, size_t size)
{
    double bytes_per_s;
    const size_t length = strcspn(text, "=:");
    for (size_t i = 0; parts[i].name != NULL; i++)
        if (parts[i].make != part_cpu && length == strlen(parts[i].name) &&
            strncmp(text, parts[i].name, length) == 0 &&
            peak_split(text, length, &bytes_per_s) != NULL)
            return true;
    snprintf(error, size,
             "no peak of memory, disk or network: give one such as memory=68.3GB/s:data-sheet");
    return false;
}

double peak_stated(const struct choice *choice, const char *part, char *text, size_t size)
{
    double peak = NAN, bytes_per_s;
    for (size_t i = 0; i < choice->peaks->count; i++) {
        const char *item = choice->peaks->item[i], *source;
        if (strncmp(item, part, strlen(part)) != 0 ||
            (source = peak_split(item, strlen(part), &bytes_per_s)) == NULL)
            continue;
        peak = bytes_per_s;
        snprintf(text, size, "stated: %s", source);
    }
    return peak;
}

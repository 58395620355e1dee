// Ready tables, --table: which part, rows, threads and blocks each has.

#include "bench.h"

#include "common/messages.h"

enum {
    MYCPU,
    MYRAM,
    MYRAM_LATENCY,
    MYDISK,
    MYDISK_IOPS,
    MYDISK_THREADS,
    MYNET,
    LINPACK,
    STREAM,
    BONNIE,
    SAMPLES,
    TABLES
};

const char *const bench_table_names[] = {
    [MYCPU] = "mycpubench",
    [MYRAM] = "myrambench",
    [MYRAM_LATENCY] = "myrambench-latency",
    [MYDISK] = "mydiskbench",
    [MYDISK_IOPS] = "mydiskbench-iops",
    [MYDISK_THREADS] = "mydiskbench-threads",
    [MYNET] = "mynetbench",
    [LINPACK] = "linpack",
    [STREAM] = "stream",
    [BONNIE] = "bonnie",
    [SAMPLES] = "samples",
    [TABLES] = NULL,
};

static const struct table {
    const char *part, *threads, *blocks, *rows, *sizes;
    uint64_t samples;
} tables[] = {
    [MYCPU] = {"cpu", "1,2,4", .rows = "cpu.*"},
    [MYRAM] = {"memory", "1,2,4", "1,1K,1M,10M", "memory.*.[sr][ea][qn]*"},
    [MYRAM_LATENCY] = {"memory", "1,2,4", "8,8K,8M,80M", "memory.*.[sr][ea][qn]*"},
    [MYDISK] = {"disk", "1,2,4", "1M,10M,100M", "disk.*.direct.*"},
    [MYDISK_IOPS] = {"disk", "1,2,4,8,16,32,64,128", "1K", "disk.*.random.direct.*"},
    [MYDISK_THREADS] = {"disk", "1,2,4,8,16,32,48", "64K,1M,16M", "disk.*.direct.*"},
    [MYNET] = {"network", "1,2,4,8", "1,1K,32K", "network.*"},
    // The sizes of Intel's LINPACK that fit into 16 GB.
    [LINPACK] = {"cpu", .rows = "cpu.linpack.*",
                 .sizes = "1000,2000,5000,10000,15000,18000,20000,22000,25000,26000,27000,30000,"
                          "35000"},
    [STREAM] = {"memory", .rows = "memory.stream.*"},
    [BONNIE] = {"disk", .rows = "disk.bonnie.*"},
    [SAMPLES] = {"cpu", .rows = "*.series", .samples = 600},
};

const char *bench_table_take(struct bench_request *request)
{
    const struct table *table = &tables[request->table];
    if (request->quick)
        usage_error("--table %s: it has rows of its own: leave out --quick",
                    bench_table_names[request->table]);
    if (*request->operand != NULL)
        usage_error("--table %s: it is of the part %s: leave out %s",
                    bench_table_names[request->table], table->part, *request->operand);
    if (!request->thread_list)
        request->thread_list = table->threads;
    if (!request->block_list)
        request->block_list = table->blocks;
    if (!request->size_list)
        request->size_list = table->sizes;
    request->rows = table->rows;
    if (request->samples == 0)
        request->samples = table->samples;
    return table->part;
}

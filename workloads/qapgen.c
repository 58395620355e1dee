// qapgen: instances for qap whose optimum is proved without searching.
//
// The flows form a tree, as in the instances chr* of QAPLIB (Christofides and
// Benavent 1989). For such an instance dynamic programming over the sets of
// locations that a subtree occupies finds the optimum. It shares no step with
// qap's branch and bound, so that each checks the other.
#define PROGRAM "qapgen"
#include "arguments.h"

enum { LARGEST = 16, DEFAULT_VALUE = 99, MOST_VALUE = 1000 };
#define IMPOSSIBLE (INT32_MAX / 2)

struct options {
    int n;
    uint64_t seed;
    int largest_value;
};

struct instance {
    int n;
    int parent[LARGEST]; // in the tree; the root 0 has none, and all others a smaller one
    int label[LARGEST];  // the facility that a vertex of the tree stands for
    int32_t flow[LARGEST][LARGEST];
    int32_t distance[LARGEST][LARGEST];
};

// For each location p and each set of locations that contains p: the least cost of the subtree of
// one vertex, the vertex on p and the subtree on the set.
struct table {
    int vertices;
    int32_t *cost; // [p << n | set]
};

static const char help[] =
    "Usage: qapgen [--largest VALUE] N SEED\n"
    "\n"
    "Writes an instance for qap of N facilities (2 to 16) on stdout, with its proved\n"
    "optimum behind the matrices, as `N OPTIMUM`. The flows are a random tree with\n"
    "random weights, in both directions; the distances are random and symmetric. All\n"
    "are whole numbers from 1 to VALUE. The same arguments give the same instance.\n"
    "The optimum is found by dynamic programming over the tree: about 3^N steps and\n"
    "8 N^2 2^N bytes.\n"
    "\n"
    "  --largest VALUE  largest flow and distance, 1 to 1000 (default 99)\n"
    "  --help           this text\n"
    "\n"
    "Exit status: 0 done, 1 no memory or stdout failed, 2 wrong arguments.\n"
    "Example: qapgen 12 1 > tree12.dat && qap tree12.dat\n";

static struct options parse_arguments(int argc, char **argv)
{
    struct options options = {0};
    uint64_t largest = DEFAULT_VALUE;
    const struct argument rows[] = {{"--largest", .number = &largest, .high = MOST_VALUE}, {0}};
    read_options(argc, argv, rows, help);
    options.largest_value = (int)largest;
    if (argc - optind != 2)
        fail(2, "%d arguments: give two, N and SEED, for example qapgen 12 1", argc - optind);
    options.n = (int)number("N", argv[optind], 2, LARGEST);
    options.seed = number("SEED", argv[optind + 1], 0, UINT64_MAX);
    return options;
}

// A random whole number below LIMIT.
static int below(uint64_t *state, int limit)
{
    return (int)(next_random(state) % (uint64_t)limit);
}

static struct instance generate(const struct options *options)
{
    struct instance instance = {.n = options->n};
    uint64_t random = options->seed;
    for (int i = 0; i < options->n; i++) { // the labels: a shuffle, from the inside out
        const int other = below(&random, i + 1);
        instance.label[i] = instance.label[other];
        instance.label[other] = i;
    }
    for (int i = 1; i < options->n; i++) {
        instance.parent[i] = below(&random, i);
        const int a = instance.label[i];
        const int b = instance.label[instance.parent[i]];
        instance.flow[a][b] = instance.flow[b][a] = 1 + below(&random, options->largest_value);
    }
    for (int p = 0; p < options->n; p++) {
        for (int q = 0; q < p; q++)
            instance.distance[p][q] = instance.distance[q][p] =
                1 + below(&random, options->largest_value);
    }
    return instance;
}

// The table of a subtree of one vertex alone, to be freed; with VERTICES 0 all is impossible.
static struct table new_table(int n, int vertices)
{
    struct table table = {vertices, malloc(sizeof(int32_t) * ((size_t)n << n))};
    if (!table.cost)
        fail(1, "no memory for the proof: take a smaller N");
    for (size_t i = 0; i < (size_t)n << n; i++)
        table.cost[i] = IMPOSSIBLE;
    for (int p = 0; vertices > 0 && p < n; p++)
        table.cost[((size_t)p << n) + ((size_t)1 << p)] = 0;
    return table;
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

// Adds to a child's table the edge to its parent: the result speaks of sets for the child's
// subtree and of the location p of the parent, outside of the set.
static struct table lift(const struct instance *instance, const struct table *child, int vertex)
{
    const int n = instance->n;
    const int a = instance->label[vertex];
    const int b = instance->label[instance->parent[vertex]];
    struct table lifted = new_table(n, 0);
    lifted.vertices = child->vertices;
    for (unsigned set = 1; set < 1U << n; set++) {
        if (__builtin_popcount(set) != child->vertices)
            continue;
        for (int p = 0; p < n; p++) {
            int32_t cost = IMPOSSIBLE;
            for (int q = 0; q < n && (set >> p & 1) == 0; q++) {
                const int32_t edge = instance->flow[a][b] * instance->distance[q][p] +
                                     instance->flow[b][a] * instance->distance[p][q];
                cost = least(cost, child->cost[((size_t)q << n) + set] + edge);
            }
            lifted.cost[((size_t)p << n) + set] = least(cost, IMPOSSIBLE);
        }
    }
    return lifted;
}

// The table of a vertex with one more of its subtrees: all ways to divide a set between what the
// vertex had and the new subtree.
static struct table merge(int n, const struct table *vertex, const struct table *lifted)
{
    const unsigned all = (1U << n) - 1;
    struct table merged = new_table(n, 0);
    merged.vertices = vertex->vertices + lifted->vertices;
    for (unsigned set = 1; set <= all; set++) {
        if (__builtin_popcount(set) != vertex->vertices)
            continue;
        const unsigned rest = all & ~set;
        for (unsigned other = rest; other != 0; other = (other - 1) & rest) {
            if (__builtin_popcount(other) != lifted->vertices)
                continue;
            for (int p = 0; p < n; p++) {
                const size_t row = (size_t)p << n;
                int32_t *cost = &merged.cost[row + (set | other)];
                *cost = least(*cost, vertex->cost[row + set] + lifted->cost[row + other]);
            }
        }
    }
    return merged;
}

// Children have larger numbers than their parents, so going down every subtree is complete when
// it is its turn to be merged.
static int32_t prove_optimum(const struct instance *instance)
{
    const int n = instance->n;
    struct table tables[LARGEST] = {{0}};
    for (int i = 0; i < n; i++)
        tables[i] = new_table(n, 1);
    for (int i = n - 1; i > 0; i--) {
        struct table *parent = &tables[instance->parent[i]];
        const struct table lifted = lift(instance, &tables[i], i);
        const struct table merged = merge(n, parent, &lifted);
        free(lifted.cost);
        free(parent->cost);
        free(tables[i].cost);
        *parent = merged;
    }
    int32_t optimum = IMPOSSIBLE;
    for (int p = 0; p < n; p++)
        optimum = least(optimum, tables[0].cost[((size_t)(p + 1) << n) - 1]);
    free(tables[0].cost);
    return optimum;
}

static void print_matrix(int n, int32_t matrix[LARGEST][LARGEST])
{
    putchar('\n');
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            printf("%s%4" PRId32, j > 0 ? " " : "", matrix[i][j]);
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    const struct options options = parse_arguments(argc, argv);
    struct instance instance = generate(&options);
    const int32_t optimum = prove_optimum(&instance);
    printf("%d\n", instance.n);
    print_matrix(instance.n, instance.flow);
    print_matrix(instance.n, instance.distance);
    printf("\n%d %" PRId32 "\n", instance.n, optimum);
    return written();
}

// qap: a quadratic assignment problem, solved to its proved optimum.
//
// Facilities are put on locations, one on each, so that the sum over all
// pairs of flow times distance is least. Branch and bound, depth first, with
// the bound of Gilmore (1962) and Lawler (1963). It begins without a solution
// and branches in the file's order: this is work to be measured, not a race.
#define PROGRAM "qap"
#include "arguments.h"

#include <string.h>

// VALUE_LIMIT keeps every sum of products far from the limits of 64 bits.
enum { LARGEST = 32, VALUE_LIMIT = 1000000 };
#define INFINITE (INT64_MAX / 4)

struct options {
    const char *file;
    int64_t optimum;
    bool has_optimum;
};

// flow[i][j] from facility i to j, distance[p][q] from location p to q.
struct instance {
    int n;
    int64_t flow[LARGEST][LARGEST];
    int64_t distance[LARGEST][LARGEST];
    // The others of each row: rising flow, falling distance.
    int by_flow[LARGEST][LARGEST];
    int by_distance[LARGEST][LARGEST];
};

// A cost matrix of facilities (rows) by locations, and the least that any assignment costs.
struct linear_problem {
    int size;
    int64_t cost[LARGEST][LARGEST];
};

// A partial assignment: who is free, and the cost so far.
struct node {
    int free_count;
    int facilities[LARGEST]; // the free ones
    int locations[LARGEST];
    bool facility_free[LARGEST];
    bool location_free[LARGEST];
    int64_t cost;
    // what facility i on location p pays together with all that are fixed, and by itself
    int64_t fixed[LARGEST][LARGEST];
};

struct search {
    const struct instance *instance;
    int64_t best_cost;
    int best[LARGEST];
    int current[LARGEST];
    uint64_t nodes;
};

static const char help[] =
    "Usage: qap [--optimum VALUE] FILE\n"
    "\n"
    "Solves a quadratic assignment problem by branch and bound with the bound of\n"
    "Gilmore and Lawler, and prints the optimum, the number of nodes, and an\n"
    "assignment that has it (the locations of facilities 1 to N). Verified: the\n"
    "assignment is one and has this cost, and the optimum is the one that the file\n"
    "states.\n"
    "\n"
    "FILE is in QAPLIB's format: N (1 to 32) alone in a line, and two N x N matrices of\n"
    "whole numbers (up to a million), flows and distances, each with whole lines of its\n"
    "own. The optimum follows in the way of QAPLIB's .sln files, after the second\n"
    "matrix: N again and the optimum, then, if known, an assignment (its cost is\n"
    "verified, too); or the optimum alone. Commas, and remarks in parentheses, are\n"
    "taken there. Where FILE ends with .dat and does not state it, it is taken from the\n"
    ".sln file next to it.\n"
    "\n"
    "  --optimum VALUE  the optimum to verify against, whatever the files say\n"
    "  --help           this text\n"
    "\n"
    "Exit status: 0 the result is right, 1 it is not or the file cannot be read, 2 wrong\n"
    "arguments or a file that is no instance.\n";

// Reads the whole number that TEXT begins with, and moves TEXT behind it. False if there is none,
// or if it is outside of LOW to HIGH.
static bool read_number(const char **text, int64_t low, int64_t high, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(*text, &end, 10);
    const bool ends = *end == '\0' || isspace((unsigned char)*end);
    const bool right = end != *text && ends && errno == 0 && *value >= low && *value <= high;
    *text = end;
    return right;
}

static struct options parse_arguments(int argc, char **argv)
{
    struct options options = {0};
    const char *text = NULL;
    read_options(argc, argv, (const struct argument[]){{"--optimum", .text = &text}, {0}}, help);
    if (text) {
        const char *rest = text;
        options.has_optimum = read_number(&rest, -INFINITE, INFINITE, &options.optimum);
        if (!options.has_optimum || *rest != '\0')
            fail(2, "'%s' is not an optimum: give a whole number", text);
    }
    if (argc - optind != 1)
        fail(2, "%d arguments: give one, the FILE of an instance", argc - optind);
    options.file = argv[optind];
    return options;
}

// The whole file as a string, to be freed; NULL with errno when it cannot be read.
static char *read_text(const char *path)
{
    size_t room = 1;
    char *text = calloc(1, room);
    FILE *stream = fopen(path, "re");
    // The delimiter is one that no text has, so everything is one piece; of an empty file nothing.
    const bool whole =
        text && stream &&
        (getdelim(&text, &room, '\0', stream) >= 0 || (feof(stream) && !ferror(stream)));
    const int error = errno;
    if (stream)
        (void)fclose(stream); // nothing was written
    if (!whole) {
        free(text);
        text = NULL;
    }
    errno = error;
    return text;
}

// Moves TEXT behind the end of its line. False if there is more in the line than blanks: a matrix
// that is read one number late does not end with a line.
static bool end_line(const char **text)
{
    *text += strspn(*text, " \t\r\v\f");
    const bool ends = **text == '\n' || **text == '\0';
    *text += **text == '\n';
    return ends;
}

static void read_matrix(const char *path, const char *name, const char **text, int n,
                        int64_t matrix[LARGEST][LARGEST])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (!read_number(text, -VALUE_LIMIT, VALUE_LIMIT, &matrix[i][j]))
                fail(2,
                     "'%s' has no whole number of up to %d in row %d, column %d of the %s: give "
                     "a file in QAPLIB's format",
                     path, VALUE_LIMIT, i + 1, j + 1, name);
        }
    }
    if (!end_line(text))
        fail(2,
             "'%s' has more numbers in the line that ends the %s than N = %d allows: give N once, "
             "and "
             "N rows of N numbers of each matrix",
             path, name, n);
}

static bool at_end(const char *text)
{
    return text[strspn(text, " \t\r\n\v\f")] == '\0';
}

static int64_t cost_of(const struct instance *instance, const int location[LARGEST])
{
    int64_t cost = 0;
    for (int i = 0; i < instance->n; i++)
        for (int j = 0; j < instance->n; j++)
            cost += instance->flow[i][j] * instance->distance[location[i]][location[j]];
    return cost;
}

static bool is_permutation(int n, const int location[LARGEST])
{
    bool used[LARGEST] = {false};
    for (int i = 0; i < n; i++) {
        if (location[i] < 0 || location[i] >= n || used[location[i]])
            return false;
        used[location[i]] = true;
    }
    return true;
}

// QAPLIB's solutions map facilities to locations in some files, the other way in others.
static bool solution_costs(const struct instance *instance, const int solution[LARGEST],
                           int64_t cost)
{
    int inverse[LARGEST];
    if (!is_permutation(instance->n, solution))
        return false;
    for (int i = 0; i < instance->n; i++)
        inverse[solution[i]] = i;
    return cost_of(instance, solution) == cost || cost_of(instance, inverse) == cost;
}

// As QAPLIB's solutions are written by some: the numbers separated by commas, and behind the
// optimum where it is from, in parentheses.
static void make_plain(char *text)
{
    bool is_remark = false;
    for (; *text != '\0'; text++) {
        is_remark = is_remark || *text == '(';
        const bool ends = *text == ')';
        if (is_remark || *text == ',')
            *text = ' ';
        is_remark = is_remark && !ends;
    }
}

// Reads `OPTIMUM` or `N OPTIMUM [assignment]`, which must be all that is left of TEXT. Where
// OPTIONS have an optimum already, that counts, whatever this one is.
static void read_solution(const char *path, char *text_written, const struct instance *instance,
                          struct options *options)
{
    int64_t value, optimum;
    const char *text = text_written;
    make_plain(text_written);
    const char *alone = text;
    const bool is_given = options->has_optimum;
    const bool is_alone = read_number(&alone, -INFINITE, INFINITE, &optimum) && at_end(alone);
    if (!is_alone && (!read_number(&text, instance->n, instance->n, &value) ||
                      !read_number(&text, -INFINITE, INFINITE, &optimum)))
        fail(2, "'%s' has no solution where one should be: give the optimum, or N = %d and it",
             path, instance->n);
    if (!is_given)
        *options = (struct options){options->file, optimum, true};
    if (is_alone || at_end(text))
        return;
    int solution[LARGEST] = {0};
    for (int i = 0; i < instance->n; i++) {
        if (!read_number(&text, 1, instance->n, &value))
            fail(2, "'%s' has a broken assignment: give %d numbers or none", path, instance->n);
        solution[i] = (int)value - 1;
    }
    if (!at_end(text))
        fail(2, "'%s' has more behind an assignment of %d numbers: remove it", path, instance->n);
    if (!is_given && !solution_costs(instance, solution, optimum))
        fail(1, "the assignment in '%s' does not have the cost stated, %" PRId64 ": correct it",
             path, optimum);
}

// The optimum from the .sln file next to a .dat file, if there is one.
static void read_solution_beside(const struct instance *instance, struct options *options)
{
    const size_t length = strlen(options->file);
    if (length < 4 || strcmp(options->file + length - 4, ".dat") != 0)
        return;
    char *path = strdup(options->file);
    if (!path)
        fail(1, "no memory for a path: free some");
    memcpy(path + length - 4, ".sln", 4);
    char *text = read_text(path);
    if (text)
        read_solution(path, text, instance, options);
    else if (errno != ENOENT)
        fail(1, "cannot read '%s' (%s): make it readable", path, strerror(errno));
    free(text);
    free(path);
}

// For each row the other indices, sorted by the row's values: rising, or falling.
static void sort_rows(int n, int64_t matrix[LARGEST][LARGEST], int sign,
                      int order[LARGEST][LARGEST])
{
    for (int row = 0; row < n; row++) {
        int count = 0;
        for (int j = 0; j < n; j++) {
            if (j == row)
                continue;
            int place = count++;
            for (; place > 0 && sign * matrix[row][order[row][place - 1]] > sign * matrix[row][j];
                 place--)
                order[row][place] = order[row][place - 1];
            order[row][place] = j;
        }
    }
}

// Reads the instance, and its optimum into OPTIONS unless that has one.
static void read_instance(struct options *options, struct instance *instance)
{
    char *content = read_text(options->file);
    if (!content)
        fail(1, "cannot read '%s' (%s): give the file of an instance", options->file,
             strerror(errno));
    const char *text = content;
    int64_t n;
    if (!read_number(&text, 1, LARGEST, &n))
        fail(2, "'%s' does not begin with N from 1 to %d: give a file in QAPLIB's format",
             options->file, LARGEST);
    instance->n = (int)n;
    if (!end_line(&text))
        fail(2,
             "'%s' has more than N on its first line: leave N = %d alone there, and give the "
             "optimum behind the matrices or by --optimum",
             options->file, instance->n);
    read_matrix(options->file, "flows", &text, instance->n, instance->flow);
    read_matrix(options->file, "distances", &text, instance->n, instance->distance);
    // What --optimum replaces has to be a solution all the same, or the matrices are not these.
    if (!at_end(text))
        read_solution(options->file, content + (text - content), instance, options);
    else if (!options->has_optimum)
        read_solution_beside(instance, options);
    if (!options->has_optimum)
        fail(2, "'%s' states no optimum: append N and the optimum, or give --optimum VALUE",
             options->file);
    free(content);
    sort_rows(instance->n, instance->flow, 1, instance->by_flow);
    sort_rows(instance->n, instance->distance, -1, instance->by_distance);
}

// Adds one row to the assignment along the cheapest path (Hungarian method in the form of Jonker
// and Volgenant 1987). Rows and columns count from 1; column 0 holds the row that is added.
static void augment(const struct linear_problem *problem, int row_of[LARGEST + 1], int added,
                    int64_t u[LARGEST + 1], int64_t v[LARGEST + 1])
{
    int64_t distance[LARGEST + 1];
    int from[LARGEST + 1] = {0};
    bool done[LARGEST + 1] = {false};
    for (int j = 0; j <= problem->size; j++)
        distance[j] = INFINITE;
    int column = 0;
    for (row_of[0] = added; row_of[column] != 0;) {
        done[column] = true;
        const int row = row_of[column];
        int next = 0;
        int64_t least = INFINITE;
        for (int j = 1; j <= problem->size; j++) {
            const int64_t reduced = problem->cost[row - 1][j - 1] - u[row] - v[j];
            if (!done[j] && reduced < distance[j]) {
                distance[j] = reduced;
                from[j] = column;
            }
            if (!done[j] && distance[j] < least) {
                least = distance[j];
                next = j;
            }
        }
        for (int j = 0; j <= problem->size; j++) {
            if (done[j]) {
                u[row_of[j]] += least;
                v[j] -= least;
            } else {
                distance[j] -= least;
            }
        }
        column = next;
    }
    for (; column != 0; column = from[column])
        row_of[column] = row_of[from[column]];
}

// The least cost of an assignment: the sum of the prices of all rows and columns.
static int64_t solve_linear(const struct linear_problem *problem)
{
    int row_of[LARGEST + 1] = {0};
    int64_t u[LARGEST + 1] = {0};
    int64_t v[LARGEST + 1] = {0};
    int64_t sum = 0;
    for (int row = 1; row <= problem->size; row++)
        augment(problem, row_of, row, u, v);
    for (int i = 1; i <= problem->size; i++)
        sum += u[i] + v[i];
    return sum;
}

// Copies those values of a row whose index is free, in the given order.
static void gather(int n, const int64_t row[LARGEST], const int order[LARGEST],
                   const bool is_free[LARGEST], int64_t values[LARGEST])
{
    int count = 0;
    for (int k = 0; k < n - 1; k++)
        if (is_free[order[k]])
            values[count++] = row[order[k]];
}

// Gilmore and Lawler: what free facility i on free location p pays at least is what it pays with
// the fixed ones, plus the least scalar product of its flows and the location's distances to the
// others that are free, which pairs rising flows with falling distances.
static void set_costs(const struct instance *instance, const struct node *node,
                      struct linear_problem *problem)
{
    const int m = node->free_count;
    int64_t flows[LARGEST][LARGEST];
    int64_t distances[LARGEST][LARGEST];
    for (int r = 0; r < m; r++) {
        const int i = node->facilities[r];
        const int p = node->locations[r];
        gather(instance->n, instance->flow[i], instance->by_flow[i], node->facility_free, flows[r]);
        gather(instance->n, instance->distance[p], instance->by_distance[p], node->location_free,
               distances[r]);
    }
    problem->size = m;
    for (int r = 0; r < m; r++) {
        for (int s = 0; s < m; s++) {
            int64_t cost = node->fixed[node->facilities[r]][node->locations[s]];
            for (int k = 0; k < m - 1; k++)
                cost += flows[r][k] * distances[s][k];
            problem->cost[r][s] = cost;
        }
    }
}

// Puts the first free facility on LOCATION: CHILD is PARENT with that pair fixed.
static void fix_first(const struct instance *instance, const struct node *parent, int location,
                      struct node *child)
{
    const int facility = parent->facilities[0];
    *child = *parent;
    child->cost += parent->fixed[facility][location];
    child->facility_free[facility] = false;
    child->location_free[location] = false;
    child->free_count--;
    memmove(child->facilities, child->facilities + 1,
            (size_t)child->free_count * sizeof child->facilities[0]);
    int place = 0;
    while (parent->locations[place] != location)
        place++;
    memmove(child->locations + place, child->locations + place + 1,
            (size_t)(child->free_count - place) * sizeof child->locations[0]);
    for (int r = 0; r < child->free_count; r++) {
        const int i = child->facilities[r];
        for (int s = 0; s < child->free_count; s++) {
            const int p = child->locations[s];
            child->fixed[i][p] += instance->flow[i][facility] * instance->distance[p][location] +
                                  instance->flow[facility][i] * instance->distance[location][p];
        }
    }
}

// Searches below NODE for anything cheaper than the best so far.
static void branch(struct search *search, const struct node *node)
{
    search->nodes++;
    if (node->free_count == 0) {
        if (node->cost < search->best_cost) {
            search->best_cost = node->cost;
            memcpy(search->best, search->current, sizeof search->best);
        }
        return;
    }
    struct linear_problem problem;
    set_costs(search->instance, node, &problem);
    if (node->cost + solve_linear(&problem) >= search->best_cost)
        return;
    for (int k = 0; k < node->free_count; k++) {
        struct node child;
        search->current[node->facilities[0]] = node->locations[k];
        fix_first(search->instance, node, node->locations[k], &child);
        branch(search, &child);
    }
}

// Nothing is fixed; a facility pays only its flow to itself.
static struct node root(const struct instance *instance)
{
    struct node node = {.free_count = instance->n};
    for (int i = 0; i < instance->n; i++) {
        node.facilities[i] = node.locations[i] = i;
        node.facility_free[i] = node.location_free[i] = true;
        for (int p = 0; p < instance->n; p++)
            node.fixed[i][p] = instance->flow[i][i] * instance->distance[p][p];
    }
    return node;
}

int main(int argc, char **argv)
{
    struct options options = parse_arguments(argc, argv);
    struct instance instance = {0};
    read_instance(&options, &instance);
    struct search search = {.instance = &instance, .best_cost = INFINITE};
    const struct node start = root(&instance);
    branch(&search, &start);
    if (!is_permutation(instance.n, search.best) ||
        cost_of(&instance, search.best) != search.best_cost)
        fail(1,
             "the assignment found does not cost %" PRId64 ": do not trust this build or machine",
             search.best_cost);
    if (search.best_cost != options.optimum)
        fail(1, "the optimum is %" PRId64 ", not %" PRId64 ": correct what '%s' states",
             search.best_cost, options.optimum, options.file);
    printf("optimum %" PRId64 ", verified, %" PRIu64 " nodes, assignment", search.best_cost,
           search.nodes);
    for (int i = 0; i < instance.n; i++)
        printf(" %d", search.best[i] + 1);
    putchar('\n');
    return written();
}

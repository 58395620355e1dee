#include "best.h"

#include "json.h"
#include "problems.h"

#include "common/text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static bool is(const json_t *row, const char *member, const char *text)
{
    const char *own = json_text_at(row, member);
    return own != NULL && strcmp(own, text) == 0;
}

/* What is said to be of a cache is not what the part can do: "L2", "page cache", "cached". */
static bool names_cache(const char *label)
{
    const char *level = text_after(label, "L");
    return strcmp(label, "page cache") == 0 || strcmp(label, "cached") == 0 ||
           (level != NULL && isdigit((unsigned char)level[0]) && level[1] == '\0');
}

static bool is_of_cache(const json_t *row)
{
    const char *name;
    json_t *label;
    json_object_foreach(json_object_get(row, "labels"), name, label)
    {
        if (json_is_string(label) && names_cache(json_string_value(label)))
            return true;
    }
    return false;
}

static bool is_misread(const json_t *row)
{
    const json_t *problem;
    size_t i;
    json_array_foreach(json_object_get(row, "problems"), i, problem)
    {
        const char *flag = json_text_at(problem, "flag");
        if (flag != NULL && problem_misread(flag))
            return true;
    }
    return false;
}

static bool is_answer(const json_t *row)
{
    return is(row, "state", "done") && is(row, "better", "higher") &&
           !isnan(json_number_at(row, "value")) &&
           json_array_size(json_object_get(row, "marks")) == 0 && !is_of_cache(row) &&
           !is_misread(row);
}

json_t *best_row(const json_t *part)
{
    const json_t *rows = json_object_get(part, "rows"), *row;
    size_t i, best = json_array_size(rows);
    double most = -INFINITY;
    json_array_foreach(rows, i, row)
    {
        if (!is_answer(row) || json_number_at(row, "value") < most)
            continue;
        most = json_number_at(row, "value");
        best = i;
    }
    return best == json_array_size(rows) ? json_null() : json_integer((json_int_t)best);
}

#include "report.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/text.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BOLD      "1"
#define DIM       "2"
#define UNDERLINE "4"
#define RED       "31"
#define GREEN     "32"
#define YELLOW    "33"

struct terminal {
    const json_t *head;
    size_t width;   // columns, 0 for any
    size_t columns; // that lines of words are folded to, 0 for none
    bool colour, verbose;
};

// ---- texts

// What a row says in a column.
static const char *text_of_row(const json_t *row, const char *key)
{
    return json_text_or_empty(json_object_get(row, "texts"), key);
}

// Characters, not bytes.
static size_t length_of(const char *text)
{
    size_t length = 0;
    for (; *text != '\0'; text++)
        length += (*text & 0xc0) != 0x80;
    return length;
}

// To be freed; style NULL: as it is.
static char *styled(const struct terminal *terminal, const char *style, const char *text)
{
    return terminal->colour && style ? text_of("\033[%sm%s\033[0m", style, text)
                                     : must(strdup(text));
}

// Prints a line, which it takes, without blanks at its end, and within so many columns.
static void print_folded(char *line, size_t columns)
{
    size_t used = strlen(line);
    while (used > 0 && line[used - 1] == ' ')
        line[--used] = '\0';
    OWNED char *own = line, *folded = must(fold_text(line, columns));
    puts(folded);
    (void)own;
}

static void say(const struct terminal *terminal, char *line)
{
    print_folded(line, terminal->columns);
}

static void say_title(const struct terminal *terminal, const char *text)
{
    say(terminal, styled(terminal, BOLD, text));
}

static void say_each(const struct terminal *terminal, const char *indent, const json_t *lines)
{
    size_t i;
    const json_t *line;
    json_array_foreach(lines, i, line)
        say(terminal, text_of("%s%s", indent, json_string_value(line)));
}

static void say_if_there(const struct terminal *terminal, const json_t *object, const char *name)
{
    const char *text = json_text_at(object, name);
    if (text)
        say(terminal, must(strdup(text)));
}

// ---- problems and notes

// Who a row is of, as JSON, a new reference; null: nobody in particular.
static json_t *who_is(const json_t *row)
{
    json_t *who = json_object_get(row, "who");
    if (json_is_string(who))
        return json_incref(who);
    return !json_is_object(json_object_get(row, "texts"))
               ? json_null()
               : must(
                     json_sprintf("%s, %s", text_of_row(row, "program"), text_of_row(row, "load")));
}

static void add_finding(json_t *findings, const json_t *one, json_t *who)
{
    const json_t *known = json_named(findings, "flag", json_text_or_empty(one, "flag"));
    json_t *also = json_object_get(known, "also");
    const size_t count = json_array_size(also);
    const json_t *last = count > 0 ? json_array_get(also, count - 1) : json_null();
    if (!known)
        json_array_append_new(
            findings, must(json_pack("{sOsOsOs[]}", "flag", json_object_get(one, "flag"), "text",
                                     json_object_get(one, "text"), "who", who, "also")));
    else if (!json_equal(json_object_get(known, "who"), who) && !json_equal(last, who))
        json_array_append(also, who);
}

// Each flag among the rows' problems, or notes, once: {flag, text, who, also}, in full where it is
// first, and where else it was seen.
static json_t *findings_of(const json_t *rows, const char *kind)
{
    json_t *findings = must(json_array());
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i), *list = json_object_get(row, kind);
        json_t *who = who_is(row);
        for (size_t k = 0; k < json_array_size(list); k++)
            add_finding(findings, json_array_get(list, k), who);
        json_decref(who);
    }
    return findings;
}

static void say_numbered(const struct terminal *terminal, const char *indent,
                         const json_t *problems)
{
    for (size_t i = 0; i < json_array_size(problems); i++) {
        const json_t *one = json_array_get(problems, i);
        const size_t more = json_array_size(json_object_get(one, "also"));
        OWNED char *where =
            more == 0 ? NULL
                      : text_of(" (%s, and %zu more)", json_text_at(one, "who") ?: "null", more);
        say(terminal, text_of("%s%zu %s%s: %s", indent, i + 1, json_text_or_empty(one, "flag"),
                              where ?: "", json_text_or_empty(one, "text")));
    }
}

// " (who; also one; two; three)", or "also one; two and 5 more"; "": nobody in particular.
static char *places_text(const json_t *one)
{
    const json_t *also = json_object_get(one, "also");
    const size_t count = json_array_size(also), shown = count > 3 ? 2 : count;
    const char *who = json_text_at(one, "who");
    if (!who)
        return must(strdup(""));
    char *text = text_of(" (%s", who);
    for (size_t i = 0; i < shown; i++)
        text = text_added(text, "%s%s", i == 0 ? "; also " : "; ",
                          json_string_value(json_array_get(also, i)));
    return shown < count ? text_added(text, " and %zu more)", count - shown)
                         : text_added(text, ")");
}

static void say_notes(const struct terminal *terminal, const char *indent, const json_t *rows)
{
    if (!terminal->verbose)
        return;
    json_t *notes = findings_of(rows, "notes");
    for (size_t i = 0; i < json_array_size(notes); i++) {
        const json_t *one = json_array_get(notes, i);
        OWNED char *places = places_text(one);
        say(terminal, text_of("%s%s%s: %s", indent, json_text_or_empty(one, "flag"), places,
                              json_text_or_empty(one, "text")));
    }
    json_decref(notes);
}

static size_t count_notes(const json_t *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(rows); i++)
        count += json_array_size(json_object_get(json_array_get(rows, i), "notes"));
    return count;
}

static void say_notes_count(const struct terminal *terminal, size_t count)
{
    if (!terminal->verbose && count > 0)
        say(terminal, text_of("%zu note%s: --verbose shows %s", count, count == 1 ? "" : "s",
                              count == 1 ? "it" : "them"));
}

// ---- tables

#define COLUMNS_MOST 64

struct column {
    const char *key, *title;
    bool left;
    json_int_t rank;
    size_t width;
};

struct grid {
    const struct terminal *terminal;
    const json_t *rows;
    struct column column[COLUMNS_MOST];
    size_t columns;
};

// What only some tables have is left out where no row has it.
static bool is_wanted(const json_t *rows, const char *key)
{
    static const char *const some[] = {"slowdown", "ratio", "loaded", "of_alone", "mean", NULL};
    size_t i = 0;
    while (some[i] && strcmp(some[i], key) != 0)
        i++;
    for (size_t row = 0; some[i] && row < json_array_size(rows); row++) {
        const char *text = text_of_row(json_array_get(rows, row), key);
        if (strcmp(text, "-") != 0 && strcmp(text, "1") != 0)
            return true;
    }
    return !some[i];
}

static void add_column(struct grid *grid, struct column column)
{
    column.width = length_of(column.title);
    for (size_t row = 0; row < json_array_size(grid->rows); row++) {
        const size_t length = length_of(text_of_row(json_array_get(grid->rows, row), column.key));
        column.width = length > column.width ? length : column.width;
    }
    if (grid->columns < COLUMNS_MOST)
        grid->column[grid->columns++] = column;
}

// Each row has the numbers of its problems below the table as one more text: "1,3".
static void add_marks(struct grid *grid, const json_t *problems)
{
    for (size_t i = 0; i < json_array_size(grid->rows); i++) {
        const json_t *row = json_array_get(grid->rows, i), *own = json_object_get(row, "problems");
        OWNED char *marks = must(strdup(""));
        for (size_t k = 0; k < json_array_size(problems); k++)
            if (json_named(own, "flag", json_text_at(json_array_get(problems, k), "flag")))
                marks = text_added(marks, "%s%zu", *marks == '\0' ? "" : ",", k + 1);
        json_object_set_new(json_object_get(row, "texts"), "problems", must(json_string(marks)));
    }
    add_column(grid, (struct column){.key = "problems", .title = "problems", .left = true});
}

static size_t total_width(const struct grid *grid)
{
    size_t total = 0;
    for (size_t i = 0; i < grid->columns; i++)
        total += grid->column[i].width + 2;
    return total - 2;
}

static bool drop_last(struct grid *grid)
{
    json_int_t last = 0;
    size_t kept = 0;
    for (size_t i = 0; i < grid->columns; i++)
        last = grid->column[i].rank > last ? grid->column[i].rank : last;
    for (size_t i = 0; last > 0 && i < grid->columns; i++)
        if (grid->column[i].rank != last)
            grid->column[kept++] = grid->column[i];
    grid->columns = last > 0 ? kept : grid->columns;
    return last > 0;
}

// Where it is narrow the columns with the highest rank are left out, and the first is cut.
static void fit(struct grid *grid)
{
    const size_t width = grid->terminal->width;
    while (width > 0 && total_width(grid) > width && drop_last(grid))
        ;
    const size_t total = total_width(grid);
    if (width == 0 || total <= width)
        return;
    struct column *first = &grid->column[0];
    const size_t over = total - width;
    first->width = first->width > over + 8 ? first->width - over : 8;
}

static const char *by_value(const json_t *value, const char *yes, const char *no)
{
    return !value || json_is_null(value) ? NULL : json_is_true(value) ? yes : no;
}

static const char *style_of(const json_t *row, const char *key)
{
    const json_t *slower = json_object_get(row, "slower");
    const char *text = text_of_row(row, key);
    if (strcmp(key, "slowdown") == 0 && slower)
        return by_value(slower, BOLD, DIM);
    if (strcmp(key, "verdict") == 0)
        return strcmp(text, "slower") == 0 || strcmp(text, "worse") == 0    ? RED
               : strcmp(text, "faster") == 0 || strcmp(text, "better") == 0 ? GREEN
                                                                            : NULL;
    if (strcmp(key, "slowdown") == 0 || strcmp(key, "ratio") == 0 || strcmp(key, "change") == 0)
        return by_value(json_object_get(row, "distinguishable"), BOLD, DIM);
    return (strcmp(key, "achieved") == 0 && text_ends(text, " (short)")) ||
                   strcmp(key, "problems") == 0
               ? YELLOW
               : NULL;
}

// A text as wide as its column, to be freed; a style is no part of the width.
static char *padded(const struct terminal *terminal, const struct column *column, const char *text,
                    const char *style)
{
    const size_t length = length_of(text);
    if (length > column->width) {
        const char *to = text;
        for (size_t i = 0; i + 1 < column->width; i++)
            for (to++; (*to & 0xc0) == 0x80;)
                to++;
        OWNED char *cut = text_of("%.*s…", (int)(to - text), text);
        return styled(terminal, style, cut);
    }
    const int blanks = (int)(column->width - length);
    OWNED char *shown = styled(terminal, style, text);
    return text_of("%*s%s%*s", column->left ? 0 : blanks, "", shown, column->left ? blanks : 0, "");
}

// row NULL: the titles.
static void print_line(const struct grid *grid, const json_t *row)
{
    char *line = NULL;
    for (size_t i = 0; i < grid->columns; i++) {
        const struct column *column = &grid->column[i];
        OWNED char *text =
            padded(grid->terminal, column, row ? text_of_row(row, column->key) : column->title,
                   row ? style_of(row, column->key) : UNDERLINE);
        line = text_joined(line, "  ", text);
    }
    print_folded(must(line), 0); // it was made to fit
}

// left_out: the key of a column that is not wanted, or NULL. problems: NULL for a table without
// marks.
static void print_table(const struct terminal *terminal, const json_t *columns, const json_t *rows,
                        const json_t *problems, const char *left_out)
{
    struct grid grid = {.terminal = terminal, .rows = rows};
    for (size_t i = 0; i < json_array_size(columns); i++) {
        const json_t *one = json_array_get(columns, i);
        const struct column column = {.key = json_text_or_empty(one, "key"),
                                      .title = json_text_or_empty(one, "title"),
                                      .left = json_is_true(json_object_get(one, "left")),
                                      .rank = json_integer_value(json_object_get(one, "rank"))};
        if (is_wanted(rows, column.key) && !(left_out && strcmp(column.key, left_out) == 0))
            add_column(&grid, column);
    }
    if (json_array_size(problems) > 0)
        add_marks(&grid, problems);
    fit(&grid);
    print_line(&grid, NULL);
    for (size_t i = 0; i < json_array_size(rows); i++)
        print_line(&grid, json_array_get(rows, i));
}

// A table of an object {columns, rows}, and a blank line.
static void print_own_table(const struct terminal *terminal, const json_t *of,
                            const json_t *problems, const char *left_out)
{
    print_table(terminal, json_object_get(of, "columns"), json_object_get(of, "rows"), problems,
                left_out);
    puts("");
}

// Rows of metrics other than the wall time.
static void print_metrics(const struct terminal *terminal, const char *columns, const json_t *rows)
{
    if (json_array_size(rows) == 0)
        return;
    puts("");
    print_table(terminal, json_object_get(json_object_get(terminal->head, "columns"), columns),
                rows, NULL, NULL);
}

// Whether all rows of {rows} have the same text there.
static bool is_alike(const json_t *of, const char *key)
{
    const json_t *rows = json_object_get(of, "rows");
    for (size_t i = 1; i < json_array_size(rows); i++)
        if (strcmp(text_of_row(json_array_get(rows, i), key),
                   text_of_row(json_array_get(rows, 0), key)) != 0)
            return false;
    return true;
}

// The tables of an experiment's variants, and what they say in words.
static void print_variants(const struct terminal *terminal, const json_t *variants,
                           const json_t *problems, bool with_lines)
{
    const json_t *tables = json_object_get(variants, "tables"),
                 *changes = json_object_get(variants, "changes");
    for (size_t i = 0; i < json_array_size(tables); i++) {
        const json_t *one = json_array_get(tables, i), *rows = json_object_get(one, "rows");
        const bool none = is_alike(one, "achieved") &&
                          strcmp(text_of_row(json_array_get(rows, 0), "achieved"), "-") == 0;
        print_own_table(terminal, one, problems, none ? "achieved" : NULL);
    }
    if (json_array_size(json_object_get(changes, "rows")) > 0)
        print_own_table(terminal, changes, NULL, NULL);
    if (with_lines)
        say_each(terminal, "", json_object_get(variants, "lines"));
}

// Of protect or capacity.
static void print_study(const struct terminal *terminal, const json_t *study)
{
    print_own_table(terminal, study, NULL, is_alike(study, "load") ? "load" : NULL);
    say_each(terminal, "", json_object_get(study, "lines"));
}

// ---- one experiment

// Where a command line is wider than the terminal it continues behind a backslash; takes line.
static char *broken(char *line, const char *at)
{
    char *place = strstr(line, at);
    if (!place)
        return line;
    OWNED char *whole = line;
    return text_of("%.*s \\\n   %s", (int)(place - whole), whole, place);
}

// Command lines to be pasted.
static void say_next(const struct terminal *terminal, const json_t *experiment)
{
    static const char *const names[][2] = {{"next", "closer"}, {"protect", "protect"}};
    bool any = false;
    for (size_t i = 0; i < 2; i++) {
        const char *command = json_text_at(experiment, names[i][0]);
        if (!command)
            continue;
        if (!any)
            puts("");
        any = true;
        char *line = text_of("%s: %s", names[i][1], command);
        if (terminal->width > 0 && length_of(command) + 8 > terminal->width)
            line = broken(broken(line, " --load "), " -- ");
        print_folded(line, 0);
    }
}

// What memory is, as a part of a sentence.
static char *memory_text(const struct terminal *terminal)
{
    const json_t *list = json_object_get(terminal->head, "metrics");
    const char *meaning =
        json_text_or_empty(json_array_get(list, json_array_size(list) - 1), "meaning");
    const size_t length = strcspn(meaning, ",");
    return text_of("%.*s is %s", (int)length, meaning,
                   meaning[length] == '\0' ? "" : meaning + length + 2);
}

// The last lines; more: what else is in the last one.
static void say_key(const struct terminal *terminal, const char *more)
{
    const json_t *legend = json_object_get(terminal->head, "legend");
    OWNED char *memory = memory_text(terminal);
    say_if_there(terminal, json_object_get(terminal->head, "texts"), "family");
    say_if_there(terminal, legend, "unseen");
    say(terminal, text_of("%s; %s%s.", json_text_or_empty(legend, "key"), more, memory));
}

// Those of an experiment's own table: mean and variance are for those who ask, and what is of no
// condition has no row.
static void print_conditions(const struct terminal *terminal, const json_t *rows,
                             const json_t *problems)
{
    const json_t *columns =
        json_object_get(json_object_get(terminal->head, "columns"), "conditions");
    json_t *shown = must(json_array()), *conditions = must(json_array());
    for (size_t i = 0; i < json_array_size(columns); i++) {
        json_t *one = json_array_get(columns, i);
        if (terminal->verbose ||
            (!json_text_is(one, "key", "mean") && !json_text_is(one, "key", "variance")))
            json_array_append(shown, one);
    }
    for (size_t i = 0; i < json_array_size(rows); i++)
        if (json_is_object(json_object_get(json_array_get(rows, i), "texts")))
            json_array_append(conditions, json_array_get(rows, i));
    print_table(terminal, shown, conditions, problems, NULL);
    json_decref(shown);
    json_decref(conditions);
}

// The answer comes first, then the table that it is from.
static void say_answers(const struct terminal *terminal, const json_t *experiment)
{
    const json_t *lists[] = {
        json_object_get(experiment, "answers"),
        json_object_get(json_object_get(experiment, "variants"), "lines"),
        json_object_get(experiment, "first"),
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        say_each(terminal, "", lists[i]);
        count += json_array_size(lists[i]);
    }
    if (count > 0)
        puts("");
}

static void print_tables(const struct terminal *terminal, const json_t *experiment,
                         const json_t *problems)
{
    const json_t *protection = json_object_get(experiment, "protection"),
                 *variants = json_object_get(experiment, "variants"),
                 *capacity = json_object_get(experiment, "capacity");
    const bool brief = json_is_object(protection) && !terminal->verbose;
    if (json_is_object(variants)) {
        print_variants(terminal, variants, problems, false);
    } else if (json_is_object(capacity)) {
        print_study(terminal, capacity);
    } else {
        if (json_is_object(protection))
            print_study(terminal, protection);
        if (json_is_object(protection) && !brief)
            puts("");
        if (!brief) {
            print_conditions(terminal, json_object_get(experiment, "rows"), problems);
            print_metrics(terminal, "condition_metrics", json_object_get(experiment, "metrics"));
        }
    }
    puts("");
}

static void print_experiment(const struct terminal *terminal)
{
    const json_t *experiment = json_object_get(terminal->head, "experiment"),
                 *rows = json_object_get(experiment, "rows");
    const bool brief =
        json_is_object(json_object_get(experiment, "protection")) && !terminal->verbose;
    json_t *problems = findings_of(rows, "problems");
    say_title(terminal, json_text_or_empty(experiment, "command"));
    if (terminal->verbose)
        say_if_there(terminal, experiment, "where");
    say_if_there(terminal, experiment, "placed");
    puts("");
    say_answers(terminal, experiment);
    print_tables(terminal, experiment, problems);
    if (!brief) {
        say_each(terminal, "", json_object_get(experiment, "lines"));
        say_each(terminal, "",
                 json_object_get(experiment, terminal->verbose ? "details" : "outliers"));
    }
    say_numbered(terminal, "", problems);
    say_notes(terminal, "", rows);
    say_notes_count(terminal, count_notes(rows));
    if (terminal->verbose)
        say_key(terminal, "");
    say_next(terminal, experiment);
    json_decref(problems);
}

// ---- a campaign

// The studies of rows, behind their titles.
static void print_studies(const struct terminal *terminal, const json_t *rows, const char *name,
                          const json_t *problems)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *study = json_object_get(json_array_get(rows, i), name);
        if (!json_is_object(study))
            continue;
        puts("");
        say(terminal, must(strdup(json_text_or_empty(study, "title"))));
        if (problems)
            print_variants(terminal, study, problems, true);
        else
            print_study(terminal, study);
    }
}

static void say_floors(const struct terminal *terminal, const json_t *rows)
{
    size_t count = 0;
    OWNED const char **floors = must(calloc(json_array_size(rows) + 1, sizeof *floors));
    for (size_t i = 0; i < json_array_size(rows); i++) {
        floors[count] = json_text_at(json_array_get(rows, i), "floor");
        count += floors[count] != NULL;
    }
    qsort(floors, count, sizeof *floors, by_text);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(floors[i - 1], floors[i]) != 0)
            say(terminal, text_of("  %s", floors[i]));
}

static void print_target(const struct terminal *terminal, const json_t *rows)
{
    const json_t *columns = json_object_get(terminal->head, "columns");
    json_t *others = must(json_array()), *problems = findings_of(rows, "problems");
    for (size_t i = 0; i < json_array_size(rows); i++)
        json_array_extend(others, json_object_get(json_array_get(rows, i), "metrics"));
    say_title(terminal, json_text_or_empty(json_array_get(rows, 0), "target"));
    print_table(terminal, json_object_get(columns, "cells"), rows, problems, NULL);
    print_metrics(terminal, "cell_metrics", others);
    print_studies(terminal, rows, "variants", problems);
    print_studies(terminal, rows, "capacity", NULL);
    print_studies(terminal, rows, "protection", NULL);
    say_numbered(terminal, "  ", problems);
    say_floors(terminal, rows);
    for (size_t i = 0; i < json_array_size(rows); i++)
        say_each(terminal, "  ", json_object_get(json_array_get(rows, i), "lines"));
    say_notes(terminal, "  ", rows);
    puts("");
    json_decref(others);
    json_decref(problems);
}

// What is said of the whole; a blank line in front of it where `apart`. Each of its parts ends with
// one.
static void print_rest(const struct terminal *terminal, bool apart)
{
    static const char *const parts[][2] = {
        {"between", "between nodes"}, {"waiting", "not done"}, {"warnings", "warnings"}};
    bool any = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const json_t *lines =
            json_object_get(json_object_get(terminal->head, "texts"), parts[i][0]);
        if (json_array_size(lines) == 0)
            continue;
        if (apart || any)
            puts("");
        any = true;
        say_title(terminal, parts[i][1]);
        say_each(terminal, "  ", lines);
    }
    if (any && !apart)
        puts("");
}

// That of the next line, a new reference; NULL: there is none.
static json_t *next_row(const struct collected *collected, size_t *line)
{
    while (*line < collected->line_count && !collected->lines[*line].text)
        ++*line;
    return *line < collected->line_count
               ? must(json_loads(collected->lines[(*line)++].text, JSON_DISABLE_EOF_CHECK, NULL))
               : NULL;
}

// Only one target is held at a time. Returns how many notes there are.
static size_t print_targets(const struct terminal *terminal, const struct collected *collected)
{
    size_t notes = 0, line = 0;
    json_t *row = next_row(collected, &line);
    while (row) {
        json_t *rows = must(json_array());
        const json_t *target = json_object_get(row, "target");
        do {
            json_array_append_new(rows, row);
            row = next_row(collected, &line);
        } while (row && json_equal(json_object_get(row, "target"), target));
        notes += count_notes(rows);
        print_target(terminal, rows);
        json_decref(rows);
    }
    return notes;
}

static void print_campaign(const struct terminal *terminal, const struct collected *collected)
{
    const json_t *texts = json_object_get(terminal->head, "texts");
    say(terminal, text_added(styled(terminal, BOLD, json_text_or_empty(texts, "name")), ": %s",
                             json_text_or_empty(texts, "totals")));
    say_if_there(terminal, texts, "answer");
    say_each(terminal, "on ", json_object_get(texts, "hosts"));
    puts("");
    const size_t notes = print_targets(terminal, collected);
    print_rest(terminal, false);
    say_notes_count(terminal, notes);
    say_key(terminal, "runs are those alone + under load; a → b is alone → under load; ");
}

// ---- the terminal

static size_t width_of_stdout(void)
{
    const char *set = getenv("COLUMNS");
    struct winsize size = {.ws_col = 0};
    if (set && set[0] >= '1' && set[0] <= '9' && strlen(set) <= 4 &&
        strspn(set, "0123456789") == strlen(set))
        return strtoul(set, NULL, 10);
    if (isatty(STDOUT_FILENO) == 0)
        return 0;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 80;
}

static bool has_colour(void)
{
    const char *kind = getenv("TERM"), *none = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) == 1 && kind && strcmp(kind, "dumb") != 0 && !(none && *none);
}

bool terminal_print(const char *head, const struct collected *collected, bool verbose)
{
    json_t *parsed = must(json_loads(head, 0, NULL));
    const struct terminal terminal = {
        .head = parsed,
        .width = width_of_stdout(),
        .columns = isatty(STDOUT_FILENO) == 1 ? fold_columns(STDOUT_FILENO) : 0,
        .colour = has_colour(),
        .verbose = verbose,
    };
    if (json_is_object(json_object_get(parsed, "experiment"))) {
        print_experiment(&terminal);
        print_rest(&terminal, true);
    } else {
        print_campaign(&terminal, collected);
    }
    json_decref(parsed);
    return fflush(stdout) == 0 && !ferror(stdout);
}

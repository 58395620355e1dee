// The report at a terminal: tables as wide as that is, and lines below them.
#include "report.h"

#include "common/text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#define BOLD      "1"
#define DIM       "2"
#define UNDERLINE "4"
#define RED       "31"
#define GREEN     "32"
#define YELLOW    "33"

struct terminal {
    const struct value *head;
    struct arena *texts; // of what is printed
    size_t width;        // columns, 0 for any
    size_t columns;      // that lines of words are folded to, 0 for none
    bool colour, verbose;
};

// ---- texts

// What a row says in a column.
static const char *text_of_row(const struct value *row, const char *key)
{
    return view_text(view_get(row, "texts"), key) ?: "";
}

// Characters, not bytes.
static size_t length_of(const char *text)
{
    size_t length = 0;
    for (; *text != '\0'; text++)
        length += (*text & 0xc0) != 0x80;
    return length;
}

// style NULL: as it is.
static const char *styled(const struct terminal *terminal, const char *style, const char *text)
{
    return terminal->colour && style ? said(terminal->texts, "\033[%sm%s\033[0m", style, text)
                                     : text;
}

// Prints a line without blanks at its end, and within so many columns.
static void print_folded(const char *line, size_t columns)
{
    size_t used = strlen(line);
    while (used > 0 && line[used - 1] == ' ')
        used--;
    OWNED char *own = must(strndup(line, used)), *folded = must(fold_text(own, columns));
    puts(folded);
}

// NULL: nothing.
static void say(const struct terminal *terminal, const char *line)
{
    if (line)
        print_folded(line, terminal->columns);
}

static void say_title(const struct terminal *terminal, const char *text)
{
    say(terminal, styled(terminal, BOLD, text ?: ""));
}

// Returns how many there are.
static size_t say_each(const struct terminal *terminal, const char *indent,
                       const struct value *lines)
{
    size_t count = 0;
    EACH_VALUE (line, lines) {
        say(terminal, said(terminal->texts, "%s%s", indent, view_string(line)));
        count++;
    }
    return count;
}

// ---- problems and notes

// A flag among the problems, or notes, of rows: in full where it is first, and where else it was
// seen.
struct finding {
    const char *flag, *text, *who; // who NULL: nobody in particular
    const char *metric;            // that it is of; NULL: of none
    const char *also[3], *last;    // the first of them, and the last
    size_t count;                  // of them
};

struct findings {
    struct finding *item;
    size_t count, allocated;
};

// Who a row is of; NULL: nobody in particular.
static const char *who_is(const struct terminal *terminal, const struct value *row)
{
    return view_text(row, "who")
               ?: view_is(view_get(row, "texts"), VIEW_OBJECT)
                  ? said(terminal->texts, "%s, %s", text_of_row(row, "program"),
                         text_of_row(row, "load"))
                  : NULL;
}

// `each`: what two say in other words, or of other metrics, is two.
static void add_finding(struct findings *findings, const struct value *one, const char *who,
                        bool each)
{
    const char *flag = view_text(one, "flag"), *text = view_text(one, "text"),
               *metric = view_text(one, "metric");
    size_t i = 0;
    while (i < findings->count &&
           (compare_texts(findings->item[i].flag, flag) != 0 ||
            (each && (compare_texts(findings->item[i].text, text) != 0 ||
                      compare_texts(findings->item[i].metric, metric) != 0))))
        i++;
    if (i == findings->count) {
        MORE(findings) = (struct finding){.flag = flag, .text = text, .who = who, .metric = metric};
        return;
    }
    struct finding *known = &findings->item[i];
    if (compare_texts(known->who, who) == 0 || compare_texts(known->last, who) == 0)
        return;
    known->last = who;
    if (known->count < 3)
        known->also[known->count] = who;
    known->count++;
}

// kind: "problems", or "notes".
static struct findings findings_of(const struct terminal *terminal, const struct value *rows,
                                   const char *kind, bool each)
{
    struct findings findings = {0};
    EACH_VALUE (row, rows) {
        const char *who = who_is(terminal, row);
        EACH_VALUE (one, view_get(row, kind))
            add_finding(&findings, one, who, each);
    }
    return findings;
}

enum { PROBLEMS_SAID = 2 };

// In brief the first of them, and how many more there are.
static void say_numbered(const struct terminal *terminal, const char *indent,
                         const struct findings *problems)
{
    struct arena *texts = terminal->texts;
    const bool all = terminal->verbose || problems->count <= PROBLEMS_SAID;
    const size_t said_count = all ? problems->count : PROBLEMS_SAID;
    const size_t rest = problems->count - said_count;
    for (size_t i = 0; i < said_count; i++) {
        const struct finding *one = &problems->item[i];
        const char *where =
            one->count == 0 ? ""
                            : said(texts, " (%s, and %zu more)", one->who ?: "null", one->count);
        say(terminal, said(texts, "%s%zu %s%s: %s", indent, i + 1, one->flag, where, one->text));
    }
    if (rest > 0)
        say(terminal, said(texts, "%s%zu more problem%s: --verbose shows %s", indent, rest,
                           rest == 1 ? "" : "s", rest == 1 ? "it" : "them"));
}

// " (who; also one; two; three)", or "also one; two and 5 more"; "": nobody in particular.
static const char *places_text(struct arena *texts, const struct finding *one)
{
    const size_t listed = one->count > 3 ? 2 : one->count;
    const char *also = NULL;
    for (size_t i = 0; i < listed; i++)
        also = joined(texts, also, "; ", one->also[i]);
    const char *more = listed < one->count ? said(texts, " and %zu more", one->count - listed) : "";
    return !one->who
               ? ""
               : said(texts, " (%s%s%s%s)", one->who, also ? "; also " : "", also ?: "", more);
}

// each: of one experiment, whose notes are few.
static void say_notes(const struct terminal *terminal, const char *indent, const struct value *rows,
                      bool each)
{
    if (!terminal->verbose)
        return;
    struct findings notes = findings_of(terminal, rows, "notes", each);
    for (const struct finding *one = notes.item; one < notes.item + notes.count; one++)
        say(terminal, said(terminal->texts, "%s%s%s%s%s: %s", indent, one->flag,
                           each && one->metric ? " " : "", each ? one->metric ?: "" : "",
                           places_text(terminal->texts, one), one->text));
    free(notes.item);
}

static size_t count_notes(const struct value *rows)
{
    size_t count = 0;
    EACH_VALUE (row, rows)
        EACH_VALUE (note, view_get(row, "notes"))
            count++;
    return count;
}

static void say_notes_count(const struct terminal *terminal, size_t count)
{
    if (!terminal->verbose && count > 0)
        say(terminal, said(terminal->texts, "%zu note%s: --verbose shows %s", count,
                           count == 1 ? "" : "s", count == 1 ? "it" : "them"));
}

// ---- tables

#define COLUMNS_MOST 64

struct column {
    const char *key, *title;
    bool left;
    double rank;
    size_t width;
};

struct rows {
    const struct value **item;
    size_t count, allocated;
};

struct grid {
    const struct terminal *terminal;
    struct rows rows;
    const struct findings *problems; // that rows have the numbers of; NULL: none
    struct column column[COLUMNS_MOST];
    size_t columns;
};

// What is of no condition has no row.
static void add_rows(struct rows *rows, const struct value *list)
{
    EACH_VALUE (row, list) {
        if (!view_is(view_get(row, "texts"), VIEW_OBJECT))
            continue;
        MORE(rows) = row;
    }
}

// What only some tables have is left out where no row has it.
static bool is_wanted(const struct rows *rows, const char *key)
{
    static const char *const some[] = {"slowdown", "ratio", "loaded", "of_alone", "mean", NULL};
    bool wanted = !text_is_among(key, some);
    for (size_t i = 0; i < rows->count && !wanted; i++) {
        const char *text = text_of_row(rows->item[i], key);
        wanted = strcmp(text, "-") != 0 && strcmp(text, "1") != 0;
    }
    return wanted;
}

// What a row has in a column; its problems are the numbers of those below the table: "1,3".
static const char *text_in(const struct grid *grid, const struct value *row, const char *key)
{
    struct arena *texts = grid->terminal->texts;
    const char *marks = "";
    if (strcmp(key, "problems") != 0)
        return text_of_row(row, key);
    for (size_t i = 0; i < grid->problems->count; i++)
        if (view_entry(view_get(row, key), "flag", grid->problems->item[i].flag))
            marks = joined(texts, marks, ",", said(texts, "%zu", i + 1));
    return marks;
}

static void add_column(struct grid *grid, struct column column)
{
    column.width = length_of(column.title);
    for (size_t i = 0; i < grid->rows.count; i++) {
        const size_t length = length_of(text_in(grid, grid->rows.item[i], column.key));
        column.width = length > column.width ? length : column.width;
    }
    if (grid->columns < COLUMNS_MOST)
        grid->column[grid->columns++] = column;
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
    double last = 0;
    size_t left = 0;
    for (size_t i = 0; i < grid->columns; i++)
        last = grid->column[i].rank > last ? grid->column[i].rank : last;
    for (size_t i = 0; last > 0 && i < grid->columns; i++)
        if (grid->column[i].rank < last)
            grid->column[left++] = grid->column[i];
    grid->columns = last > 0 ? left : grid->columns;
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

// Of a member that is true or false; NULL: of neither.
static const char *by_value(const struct value *value, const char *yes, const char *no)
{
    return view_is(value, VIEW_TRUE) ? yes : view_is(value, VIEW_FALSE) ? no : NULL;
}

static const char *style_of(const struct value *row, const char *key)
{
    static const char *const bad[] = {"slower", "worse", NULL},
                             *const good[] = {"faster", "better", NULL},
                             *const ratios[] = {"slowdown", "ratio", "change", NULL};
    const struct value *slower = view_get(row, "slower");
    const char *text = text_of_row(row, key);
    if (strcmp(key, "slowdown") == 0 && slower)
        return by_value(slower, BOLD, DIM);
    if (strcmp(key, "verdict") == 0)
        return text_is_among(text, bad) ? RED : text_is_among(text, good) ? GREEN : NULL;
    if (text_is_among(key, ratios))
        return by_value(view_get(row, "distinguishable"), BOLD, DIM);
    return (strcmp(key, "achieved") == 0 && text_ends(text, " (short)")) ||
                   strcmp(key, "problems") == 0
               ? YELLOW
               : NULL;
}

// A text as wide as its column; a style is no part of the width.
static const char *padded(const struct terminal *terminal, const struct column *column,
                          const char *text, const char *style)
{
    const size_t length = length_of(text);
    if (length > column->width) {
        const char *to = text;
        for (size_t i = 0; i + 1 < column->width; i++)
            for (to++; (*to & 0xc0) == 0x80;)
                to++;
        return styled(terminal, style, said(terminal->texts, "%.*s…", (int)(to - text), text));
    }
    const int blanks = (int)(column->width - length);
    return said(terminal->texts, "%*s%s%*s", column->left ? 0 : blanks, "",
                styled(terminal, style, text), column->left ? blanks : 0, "");
}

// row NULL: the titles.
static void print_line(const struct grid *grid, const struct value *row)
{
    const char *line = NULL;
    for (size_t i = 0; i < grid->columns; i++) {
        const struct column *column = &grid->column[i];
        line = joined(grid->terminal->texts, line, "  ",
                      padded(grid->terminal, column,
                             row ? text_in(grid, row, column->key) : column->title,
                             row ? style_of(row, column->key) : UNDERLINE));
    }
    print_folded(line, 0); // it was made to fit
}

// problems: NULL for a table without marks. left_out: the keys of columns that are not wanted,
// ended by NULL.
static void print_table(const struct terminal *terminal, const struct value *columns,
                        struct rows rows, const struct findings *problems,
                        const char *const *left_out)
{
    struct grid grid = {.terminal = terminal, .rows = rows, .problems = problems};
    EACH_VALUE (one, columns) {
        const struct column column = {.key = view_text(one, "key") ?: "",
                                      .title = view_text(one, "title") ?: "",
                                      .left = view_holds(one, "left"),
                                      .rank = view_real(one, "rank")};
        if (is_wanted(&rows, column.key) && !text_is_among(column.key, left_out))
            add_column(&grid, column);
    }
    if (problems && problems->count > 0)
        add_column(&grid, (struct column){.key = "problems", .title = "problems", .left = true});
    fit(&grid);
    print_line(&grid, NULL);
    for (size_t i = 0; i < rows.count; i++)
        print_line(&grid, rows.item[i]);
    free(rows.item);
}

// Whether all rows of {rows} have the same text there.
static bool is_alike(const struct value *of, const char *key)
{
    const struct value *rows = view_get(of, "rows");
    EACH_VALUE (row, rows)
        if (strcmp(text_of_row(row, key), text_of_row(view_first(rows), key)) != 0)
            return false;
    return true;
}

// A table of an object {columns, rows}, and a blank line. left_out: the key of a column that is not
// wanted, or NULL.
static void print_own_table(const struct terminal *terminal, const struct value *of,
                            const struct findings *problems, const char *left_out)
{
    struct rows rows = {0};
    add_rows(&rows, view_get(of, "rows"));
    print_table(terminal, view_get(of, "columns"), rows, problems,
                (const char *const[]){left_out, NULL});
    puts("");
}

// Rows of metrics other than the wall time, which it takes.
static void print_metrics(const struct terminal *terminal, const char *columns, struct rows rows)
{
    if (rows.count == 0)
        return;
    puts("");
    print_table(terminal, view_path(terminal->head, "columns", columns), rows, NULL,
                (const char *const[]){NULL});
}

// The tables of an experiment's variants, and what they say in words.
static void print_variants(const struct terminal *terminal, const struct value *variants,
                           const struct findings *problems, bool with_lines)
{
    const struct value *changes = view_get(variants, "changes");
    EACH_VALUE (one, view_get(variants, "tables")) {
        const bool none =
            is_alike(one, "achieved") &&
            strcmp(text_of_row(view_first(view_get(one, "rows")), "achieved"), "-") == 0;
        print_own_table(terminal, one, problems, none ? "achieved" : NULL);
    }
    if (view_first(view_get(changes, "rows")))
        print_own_table(terminal, changes, NULL, NULL);
    if (with_lines)
        say_each(terminal, "", view_get(variants, "lines"));
}

// Of protect or capacity.
static void print_study(const struct terminal *terminal, const struct value *study)
{
    print_own_table(terminal, study, NULL, is_alike(study, "load") ? "load" : NULL);
    say_each(terminal, "", view_get(study, "lines"));
}

// ---- one experiment

// Where a command line is wider than the terminal it continues behind a backslash.
static const char *broken(struct arena *texts, const char *line, const char *at)
{
    const char *place = strstr(line, at);
    return place ? said(texts, "%.*s \\\n   %s", (int)(place - line), line, place) : line;
}

// A command line to be pasted. Returns whether there is one.
static bool say_next(const struct terminal *terminal, const char *command, const char *what,
                     bool first)
{
    struct arena *texts = terminal->texts;
    if (!command)
        return false;
    if (first)
        puts("");
    const char *line = said(texts, "%s: %s", what, command);
    print_folded(terminal->width > 0 && length_of(command) + 8 > terminal->width
                     ? broken(texts, broken(texts, line, " --load "), " -- ")
                     : line,
                 0);
    return true;
}

// What memory is, as a part of a sentence.
static const char *memory_text(const struct terminal *terminal)
{
    const char *meaning = "";
    EACH_VALUE (metric, view_get(terminal->head, "metrics"))
        meaning = view_text(metric, "meaning") ?: "";
    const size_t length = strcspn(meaning, ",");
    return said(terminal->texts, "%.*s is %s", (int)length, meaning,
                meaning[length] == '\0' ? "" : meaning + length + 2);
}

// The last lines; more: what else is in the last one.
static void say_key(const struct terminal *terminal, const char *more)
{
    const struct value *legend = view_get(terminal->head, "legend");
    say(terminal, view_string(view_path(terminal->head, "texts", "family")));
    say(terminal, view_text(legend, "unseen"));
    say(terminal, said(terminal->texts, "%s; %s%s.", view_text(legend, "key") ?: "", more,
                       memory_text(terminal)));
}

// Those of an experiment's own table: mean and variance are for those who ask.
static void print_conditions(const struct terminal *terminal, const struct value *list,
                             const struct findings *problems)
{
    static const char *const seldom[] = {"mean", "variance", NULL};
    struct rows rows = {0};
    add_rows(&rows, list);
    print_table(terminal, view_path(terminal->head, "columns", "conditions"), rows, problems,
                terminal->verbose ? &seldom[2] : seldom);
}

// The answer comes first, then the table that it is from.
static void say_answers(const struct terminal *terminal, const struct value *experiment)
{
    const size_t count = say_each(terminal, "", view_get(experiment, "answers")) +
                         say_each(terminal, "", view_path(experiment, "variants", "lines")) +
                         say_each(terminal, "", view_path(experiment, "capacity", "lines")) +
                         say_each(terminal, "", view_get(experiment, "first"));
    if (count > 0)
        puts("");
}

static void print_tables(const struct terminal *terminal, const struct value *experiment,
                         const struct findings *problems)
{
    const struct value *protection = view_get(experiment, "protection"),
                       *variants = view_get(experiment, "variants"),
                       *capacity = view_get(experiment, "capacity");
    const bool protects = view_is(protection, VIEW_OBJECT);
    struct rows others = {0};
    if (view_is(variants, VIEW_OBJECT)) {
        print_variants(terminal, variants, problems, false);
        return; // each of its tables has ended with a blank line
    } else if (view_is(capacity, VIEW_OBJECT)) {
        print_own_table(terminal, capacity, NULL, is_alike(capacity, "load") ? "load" : NULL);
        return;
    } else {
        if (protects)
            print_study(terminal, protection);
        if (protects && terminal->verbose)
            puts("");
        if (!protects || terminal->verbose) {
            add_rows(&others, view_get(experiment, "metrics"));
            print_conditions(terminal, view_get(experiment, "rows"), problems);
            print_metrics(terminal, "condition_metrics", others);
        }
    }
    puts("");
}

// That the machine was busy is said before the table, by whom it was, and only there.
static void say_busy(const struct terminal *terminal, struct findings *problems)
{
    struct finding *one = problems->item, *const end = one + problems->count;
    while (one < end && compare_texts(one->flag, "foreign-load") != 0)
        one++;
    if (one == end)
        return;
    say(terminal, said(terminal->texts, "busy machine: %s", one->text));
    puts("");
    memmove(one, one + 1, (size_t)(end - one - 1) * sizeof *one);
    problems->count--;
}

static void print_experiment(const struct terminal *terminal)
{
    const struct value *experiment = view_get(terminal->head, "experiment"),
                       *rows = view_get(experiment, "rows");
    const bool brief =
        view_is(view_get(experiment, "protection"), VIEW_OBJECT) && !terminal->verbose;
    struct findings problems = findings_of(terminal, rows, "problems", false);
    say_title(terminal, view_text(experiment, "command"));
    if (terminal->verbose)
        say(terminal, view_text(experiment, "where"));
    say(terminal, view_text(experiment, "placed"));
    puts("");
    say_answers(terminal, experiment);
    say_busy(terminal, &problems);
    print_tables(terminal, experiment, &problems);
    if (!brief) {
        say_each(terminal, "", view_get(experiment, "lines"));
        say_each(terminal, "", view_get(experiment, terminal->verbose ? "details" : "outliers"));
    }
    say_numbered(terminal, "", &problems);
    say_notes(terminal, "", rows, true);
    say_notes_count(terminal, count_notes(rows));
    if (terminal->verbose)
        say_key(terminal, "");
    const bool any = say_next(terminal, view_text(experiment, "next"), "closer", true);
    say_next(terminal, view_text(experiment, "protect"), "protect", !any);
    free(problems.item);
}

// ---- a campaign

// The studies of rows, behind their titles.
static void print_studies(const struct terminal *terminal, const struct value *rows,
                          const char *name, const struct findings *problems)
{
    EACH_VALUE (row, rows) {
        const struct value *study = view_get(row, name);
        if (!view_is(study, VIEW_OBJECT))
            continue;
        puts("");
        say(terminal, view_text(study, "title") ?: "");
        if (problems)
            print_variants(terminal, study, problems, true);
        else
            print_study(terminal, study);
    }
}

// Each once.
static void say_floors(const struct terminal *terminal, const struct value *rows)
{
    struct {
        const char **item;
        size_t count, allocated;
    } floors = {0};
    EACH_VALUE (row, rows)
        if (view_has_text(row, "floor"))
            MORE(&floors) = view_text(row, "floor");
    if (floors.count > 0)
        qsort(floors.item, floors.count, sizeof *floors.item, by_text);
    for (size_t i = 0; i < floors.count; i++)
        if (i == 0 || strcmp(floors.item[i - 1], floors.item[i]) != 0)
            say(terminal, said(terminal->texts, "  %s", floors.item[i]));
    free(floors.item);
}

static void print_target(const struct terminal *terminal, const struct value *list)
{
    struct findings problems = findings_of(terminal, list, "problems", false);
    struct rows rows = {0}, others = {0};
    add_rows(&rows, list);
    EACH_VALUE (row, list)
        add_rows(&others, view_get(row, "metrics"));
    say_title(terminal, view_text(view_first(list), "target"));
    print_table(terminal, view_path(terminal->head, "columns", "cells"), rows, &problems,
                (const char *const[]){NULL});
    print_metrics(terminal, "cell_metrics", others);
    print_studies(terminal, list, "variants", &problems);
    print_studies(terminal, list, "capacity", NULL);
    print_studies(terminal, list, "protection", NULL);
    say_numbered(terminal, "  ", &problems);
    say_floors(terminal, list);
    EACH_VALUE (row, list)
        say_each(terminal, "  ", view_get(row, "lines"));
    say_notes(terminal, "  ", list, false);
    puts("");
    free(problems.item);
}

// What is said of the whole; a blank line in front of it where `apart`. Each of its parts ends with
// one.
static void print_rest(const struct terminal *terminal, bool apart)
{
    static const char *const parts[][2] = {
        {"between", "between nodes"}, {"waiting", "not done"}, {"warnings", "warnings"}};
    bool any = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct value *lines = view_path(terminal->head, "texts", parts[i][0]);
        if (!view_first(lines))
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

// The rows of the target from a line on, as a list; moves on to the next target.
static char *rows_of_target(const struct collected *collected, size_t *line)
{
    struct line json = {0};
    const char *target = collected->lines.item[*line].target;
    line_array(&json, NULL);
    for (;
         *line < collected->lines.count && strcmp(collected->lines.item[*line].target, target) == 0;
         ++*line)
        if (collected->lines.item[*line].text)
            line_raw(&json, NULL, collected->lines.item[*line].text);
    return json_text_end(&json);
}

// Only one target is held at a time. Returns how many notes there are.
static size_t print_targets(const struct terminal *terminal, const struct collected *collected)
{
    size_t notes = 0;
    struct view view = {0};
    for (size_t line = 0; line < collected->lines.count;) {
        OWNED char *text = rows_of_target(collected, &line);
        const struct value *rows = view_parse(&view, text, strlen(text));
        notes += count_notes(rows);
        if (view_first(rows))
            print_target(terminal, rows);
        arena_free(terminal->texts);
    }
    view_free(&view);
    return notes;
}

static void print_campaign(const struct terminal *terminal, const struct collected *collected)
{
    const struct value *texts = view_get(terminal->head, "texts");
    say(terminal,
        said(terminal->texts, "%s: %s", styled(terminal, BOLD, view_text(texts, "name") ?: ""),
             view_text(texts, "totals")));
    say(terminal, view_text(texts, "answer"));
    say_each(terminal, "on ", view_get(texts, "hosts"));
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

void terminal_print(const char *head, const struct collected *collected, bool verbose)
{
    struct view view = {0};
    struct arena texts = {0};
    const struct terminal terminal = {
        .head = view_parse(&view, head, strlen(head)),
        .texts = &texts,
        .width = width_of_stdout(),
        .columns = isatty(STDOUT_FILENO) == 1 ? fold_columns(STDOUT_FILENO) : 0,
        .colour = has_colour(),
        .verbose = verbose,
    };
    if (view_is(view_get(terminal.head, "experiment"), VIEW_OBJECT)) {
        print_experiment(&terminal);
        print_rest(&terminal, true);
    } else {
        print_campaign(&terminal, collected);
    }
    arena_free(&texts);
    view_free(&view);
}

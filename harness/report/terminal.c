#include "formats.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/text.h"

#include <jansson.h>
#include <stdarg.h>
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

static const char *text_in(const json_t *object, const char *name)
{
    return json_text_or_empty(object, name);
}

// What a row says in a column.
static const char *text_of_row(const json_t *row, const char *key)
{
    return text_in(json_object_get(row, "texts"), key);
}

// Characters, not bytes.
static size_t length_of(const char *text)
{
    size_t length = 0;
    for (; *text != '\0'; text++)
        length += (*text & 0xc0) != 0x80;
    return length;
}

// A line that is being made.
struct made {
    char *text;
    size_t size;
    FILE *stream;
};

static void begin(struct made *line)
{
    *line = (struct made){0};
    line->stream = must(open_memstream(&line->text, &line->size));
}

// Prints it, without blanks at its end, and within the terminal.
static void end(const struct terminal *terminal, struct made *line)
{
    (void)must(fclose(line->stream) == 0 ? line->text : NULL);
    while (line->size > 0 && line->text[line->size - 1] == ' ')
        line->text[--line->size] = '\0';
    char *folded = terminal->columns > 0 ? fold_text(line->text, terminal->columns) : NULL;
    puts(folded ? folded : line->text);
    free(folded);
    free(line->text);
}

static void __attribute__((format(printf, 2, 3)))
say(const struct terminal *terminal, const char *format, ...)
{
    struct made line;
    va_list arguments;
    begin(&line);
    va_start(arguments, format);
    (void)vfprintf(line.stream, format, arguments);
    va_end(arguments);
    end(terminal, &line);
}

static void put_styled(const struct terminal *terminal, FILE *stream, const char *style,
                       const char *text, size_t bytes)
{
    if (terminal->colour && style)
        fprintf(stream, "\033[%sm%.*s\033[0m", style, (int)bytes, text);
    else
        fprintf(stream, "%.*s", (int)bytes, text);
}

static void say_title(const struct terminal *terminal, const char *text, const char *rest)
{
    struct made line;
    begin(&line);
    put_styled(terminal, line.stream, BOLD, text, strlen(text));
    fputs(rest, line.stream);
    end(terminal, &line);
}

static void say_each(const struct terminal *terminal, const char *indent, const json_t *lines)
{
    for (size_t i = 0; i < json_array_size(lines); i++)
        say(terminal, "%s%s", indent, json_string_value(json_array_get(lines, i)));
}

static void say_if_there(const struct terminal *terminal, const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    if (text)
        say(terminal, "%s", text);
}

// ---- problems and notes: each flag once, in full where it is first, with where else it was seen

struct finding {
    const json_t *who; // NULL: nobody in particular
    const char *flag, *text;
    const json_t **also;
    size_t also_count, also_allocated;
};

struct findings {
    struct finding *item;
    size_t count, allocated;
    json_t *names; // those that were made here
};

static const json_t *who_is(struct findings *findings, const json_t *row)
{
    const json_t *who = json_object_get(row, "who");
    if (json_is_string(who))
        return who;
    if (!json_is_object(json_object_get(row, "texts")))
        return NULL;
    json_t *name =
        must(json_sprintf("%s, %s", text_of_row(row, "program"), text_of_row(row, "load")));
    json_array_append_new(findings->names, name);
    return name;
}

static bool is_same(const json_t *one, const json_t *other)
{
    return one == other || (one && other && json_equal(one, other));
}

static void add_finding(struct findings *findings, const json_t *one, const json_t *who)
{
    const char *flag = text_in(one, "flag");
    size_t i = 0;
    while (i < findings->count && strcmp(findings->item[i].flag, flag) != 0)
        i++;
    if (i == findings->count) {
        findings->item =
            grown(findings->item, findings->count, &findings->allocated, sizeof *findings->item);
        findings->item[findings->count++] =
            (struct finding){.who = who, .flag = flag, .text = text_in(one, "text")};
        return;
    }
    struct finding *known = &findings->item[i];
    const json_t *last = known->also_count > 0 ? known->also[known->also_count - 1] : NULL;
    if (is_same(known->who, who) || is_same(last, who))
        return;
    known->also =
        grown(known->also, known->also_count, &known->also_allocated, sizeof *known->also);
    known->also[known->also_count++] = who;
}

// kind: problems or notes.
static struct findings findings_of(const json_t *rows, const char *kind)
{
    struct findings findings = {.names = must(json_array())};
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i), *list = json_object_get(row, kind);
        if (json_array_size(list) == 0)
            continue;
        const json_t *who = who_is(&findings, row);
        for (size_t k = 0; k < json_array_size(list); k++)
            add_finding(&findings, json_array_get(list, k), who);
    }
    return findings;
}

static void findings_end(struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        free(findings->item[i].also);
    free(findings->item);
    json_decref(findings->names);
}

static void say_numbered(const struct terminal *terminal, const char *indent,
                         const struct findings *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        const struct finding *one = &problems->item[i];
        if (one->also_count == 0)
            say(terminal, "%s%zu %s: %s", indent, i + 1, one->flag, one->text);
        else
            say(terminal, "%s%zu %s (%s, and %zu more): %s", indent, i + 1, one->flag,
                one->who ? json_string_value(one->who) : "null", one->also_count, one->text);
    }
}

// " (who; also one; two; three)", or "also one; two and 5 more".
static void put_places(FILE *stream, const struct finding *one)
{
    const size_t shown = one->also_count > 3 ? 2 : one->also_count;
    if (!one->who)
        return;
    fprintf(stream, " (%s", json_string_value(one->who));
    for (size_t i = 0; i < shown; i++)
        fprintf(stream, "%s%s", i == 0 ? "; also " : "; ", json_string_value(one->also[i]));
    if (shown < one->also_count)
        fprintf(stream, " and %zu more", one->also_count - shown);
    fputc(')', stream);
}

static void say_notes(const struct terminal *terminal, const char *indent, const json_t *rows)
{
    if (!terminal->verbose)
        return;
    struct findings notes = findings_of(rows, "notes");
    for (size_t i = 0; i < notes.count; i++) {
        struct made line;
        begin(&line);
        fprintf(line.stream, "%s%s", indent, notes.item[i].flag);
        put_places(line.stream, &notes.item[i]);
        fprintf(line.stream, ": %s", notes.item[i].text);
        end(terminal, &line);
    }
    findings_end(&notes);
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
        say(terminal, "%zu note%s: --verbose shows %s", count, count == 1 ? "" : "s",
            count == 1 ? "it" : "them");
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
    const struct findings *problems; // NULL: the table has no marks
    json_t *rows;                    // borrowed
    struct column column[COLUMNS_MOST];
    size_t columns;
    char **marks; // of each row, the numbers of its problems below the table
};

static bool is_marks(const struct column *column)
{
    return strcmp(column->key, "problems") == 0;
}

static const char *text_of_cell(const struct grid *table, size_t row, const struct column *column)
{
    return is_marks(column) ? table->marks[row]
                            : text_of_row(json_array_get(table->rows, row), column->key);
}

// "1,3"; "" for a row without problems.
static char *make_marks(const struct grid *table, const json_t *row)
{
    const json_t *own = json_object_get(row, "problems");
    struct made line;
    const char *between = "";
    begin(&line);
    for (size_t i = 0; table->problems && i < table->problems->count; i++)
        for (size_t k = 0; k < json_array_size(own); k++)
            if (strcmp(text_in(json_array_get(own, k), "flag"), table->problems->item[i].flag) ==
                0) {
                fprintf(line.stream, "%s%zu", between, i + 1);
                between = ",";
                break;
            }
    return must(fclose(line.stream) == 0 ? line.text : NULL);
}

// What only some tables have is left out where no row has it.
static bool is_wanted(const struct grid *table, const char *key)
{
    static const char *const some[] = {"slowdown", "ratio", "loaded", "of_alone", "mean", NULL};
    size_t i = 0;
    while (some[i] && strcmp(some[i], key) != 0)
        i++;
    for (size_t row = 0; some[i] && row < json_array_size(table->rows); row++) {
        const char *text = text_of_row(json_array_get(table->rows, row), key);
        if (strcmp(text, "-") != 0 && strcmp(text, "1") != 0)
            return true;
    }
    return !some[i];
}

static void add_column(struct grid *table, struct column column)
{
    column.width = length_of(column.title);
    for (size_t row = 0; row < json_array_size(table->rows); row++) {
        const size_t length = length_of(text_of_cell(table, row, &column));
        column.width = length > column.width ? length : column.width;
    }
    if (table->columns < COLUMNS_MOST)
        table->column[table->columns++] = column;
}

static size_t total_width(const struct grid *table)
{
    size_t total = 0;
    for (size_t i = 0; i < table->columns; i++)
        total += table->column[i].width + 2;
    return total - 2;
}

static bool drop_last(struct grid *table)
{
    json_int_t last = 0;
    size_t kept = 0;
    for (size_t i = 0; i < table->columns; i++)
        last = table->column[i].rank > last ? table->column[i].rank : last;
    for (size_t i = 0; last > 0 && i < table->columns; i++)
        if (table->column[i].rank != last)
            table->column[kept++] = table->column[i];
    table->columns = last > 0 ? kept : table->columns;
    return last > 0;
}

// Where it is narrow the columns with the highest rank are left out, and the first is cut.
static void fit(struct grid *table)
{
    const size_t width = table->terminal->width;
    while (width > 0 && total_width(table) > width && drop_last(table))
        ;
    const size_t total = total_width(table);
    if (width == 0 || total <= width)
        return;
    struct column *first = &table->column[0];
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

// A text as wide as its column; a style is no part of the width.
static void put_cell(const struct terminal *terminal, FILE *stream, const struct column *column,
                     const char *text, const char *style)
{
    const size_t length = length_of(text);
    if (length > column->width) {
        const char *to = text;
        for (size_t i = 0; i + 1 < column->width; i++)
            for (to++; (*to & 0xc0) == 0x80;)
                to++;
        char *cut = text_of("%.*s…", (int)(to - text), text);
        put_styled(terminal, stream, style, cut, strlen(cut));
        free(cut);
        return;
    }
    const int blanks = (int)(column->width - length);
    fprintf(stream, "%*s", column->left ? 0 : blanks, "");
    put_styled(terminal, stream, style, text, strlen(text));
    fprintf(stream, "%*s", column->left ? blanks : 0, "");
}

static void print_line(const struct grid *table, const json_t *row, size_t number)
{
    struct terminal unfolded = *table->terminal;
    struct made line;
    begin(&line);
    for (size_t i = 0; i < table->columns; i++) {
        const struct column *column = &table->column[i];
        fputs(i > 0 ? "  " : "", line.stream);
        put_cell(table->terminal, line.stream, column,
                 row ? text_of_cell(table, number, column) : column->title,
                 row ? style_of(row, column->key) : UNDERLINE);
    }
    unfolded.columns = 0; // it was made to fit
    end(&unfolded, &line);
}

// left_out: the key of a column that is not wanted, or NULL. problems: NULL for a table without
// marks.
static void print_table(const struct terminal *terminal, const json_t *columns, json_t *rows,
                        const struct findings *problems, const char *left_out)
{
    const size_t count = json_array_size(rows);
    struct grid table = {.terminal = terminal, .problems = problems, .rows = rows};
    table.marks = must(calloc(count + 1, sizeof *table.marks));
    for (size_t i = 0; i < count; i++)
        table.marks[i] = make_marks(&table, json_array_get(rows, i));
    for (size_t i = 0; i < json_array_size(columns); i++) {
        const json_t *one = json_array_get(columns, i);
        const struct column column = {.key = text_in(one, "key"),
                                      .title = text_in(one, "title"),
                                      .left = json_is_true(json_object_get(one, "left")),
                                      .rank = json_integer_value(json_object_get(one, "rank"))};
        if (is_wanted(&table, column.key) && !(left_out && strcmp(column.key, left_out) == 0))
            add_column(&table, column);
    }
    if (problems && problems->count > 0)
        add_column(&table, (struct column){.key = "problems", .title = "problems", .left = true});
    fit(&table);
    print_line(&table, NULL, 0);
    for (size_t i = 0; i < count; i++)
        print_line(&table, json_array_get(rows, i), i);
    for (size_t i = 0; i < count; i++)
        free(table.marks[i]);
    free(table.marks);
}

// Rows of metrics other than the wall time.
static void print_metrics(const struct terminal *terminal, const char *columns, json_t *rows)
{
    if (json_array_size(rows) == 0)
        return;
    puts("");
    print_table(terminal, json_object_get(json_object_get(terminal->head, "columns"), columns),
                rows, NULL, NULL);
}

// Whether all rows have the same text there, or none has one.
static bool is_alike(const json_t *rows, const char *key, const char *text)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const char *own = text_of_row(json_array_get(rows, i), key);
        if (strcmp(own, text ? text : text_of_row(json_array_get(rows, 0), key)) != 0)
            return false;
    }
    return true;
}

// The tables of an experiment's variants, and what they say in words.
static void print_variants(const struct terminal *terminal, const json_t *variants,
                           const struct findings *problems, bool with_lines)
{
    const json_t *tables = json_object_get(variants, "tables");
    const json_t *changes = json_object_get(variants, "changes");
    json_t *changed = json_object_get(changes, "rows");
    for (size_t i = 0; i < json_array_size(tables); i++) {
        const json_t *one = json_array_get(tables, i);
        json_t *rows = json_object_get(one, "rows");
        print_table(terminal, json_object_get(one, "columns"), rows, problems,
                    is_alike(rows, "achieved", "-") ? "achieved" : NULL);
        puts("");
    }
    if (json_array_size(changed) > 0) {
        print_table(terminal, json_object_get(changes, "columns"), changed, NULL, NULL);
        puts("");
    }
    if (with_lines)
        say_each(terminal, "", json_object_get(variants, "lines"));
}

// Of protect or capacity; nothing where there is none.
static void print_study(const struct terminal *terminal, const json_t *study, const char *alike)
{
    json_t *rows = json_object_get(study, "rows");
    if (!json_is_object(study))
        return;
    print_table(terminal, json_object_get(study, "columns"), rows, NULL,
                alike && is_alike(rows, alike, NULL) ? alike : NULL);
    puts("");
    say_each(terminal, "", json_object_get(study, "lines"));
}

// ---- one experiment

// A command line to be pasted: where it is wider than the terminal it continues behind a backslash.
static void say_command(const struct terminal *terminal, const char *name, const char *command)
{
    struct terminal unfolded = *terminal;
    const bool wide = terminal->width > 0 && length_of(command) + 8 > terminal->width;
    const char *at = command;
    struct made line;
    begin(&line);
    fprintf(line.stream, "%s: ", name);
    static const char *const breaks[] = {" --load ", " -- "};
    const char *places[2];
    for (size_t i = 0; i < 2; i++)
        places[i] = wide ? strstr(command, breaks[i]) : NULL;
    if (places[0] && places[1] && places[1] < places[0]) {
        const char *first = places[1];
        places[1] = places[0];
        places[0] = first;
    }
    for (size_t i = 0; i < 2; i++)
        if (places[i]) {
            fprintf(line.stream, "%.*s \\\n    ", (int)(places[i] - at), at);
            at = places[i] + 1;
        }
    fputs(at, line.stream);
    unfolded.columns = 0;
    end(&unfolded, &line);
}

static void say_next(const struct terminal *terminal, const json_t *experiment)
{
    static const char *const names[][2] = {{"next", "closer"}, {"protect", "protect"}};
    bool any = false;
    for (size_t i = 0; i < 2; i++) {
        const char *text = json_string_value(json_object_get(experiment, names[i][0]));
        if (!text)
            continue;
        if (!any)
            puts("");
        any = true;
        say_command(terminal, names[i][1], text);
    }
}

// What memory is, as a part of a sentence.
static char *memory_text(const struct terminal *terminal)
{
    const json_t *list = json_object_get(terminal->head, "metrics");
    const char *meaning = text_in(json_array_get(list, json_array_size(list) - 1), "meaning");
    const size_t length = strcspn(meaning, ",");
    return text_of("%.*s is %s", (int)length, meaning,
                   meaning[length] == '\0' ? "" : meaning + length + 2);
}

static void say_family(const struct terminal *terminal)
{
    say_if_there(terminal, json_object_get(terminal->head, "texts"), "family");
    say_if_there(terminal, json_object_get(terminal->head, "legend"), "unseen");
}

static const char *key_text(const struct terminal *terminal)
{
    return text_in(json_object_get(terminal->head, "legend"), "key");
}

// The columns of its table: mean and variance are for those who ask.
static json_t *condition_columns(const struct terminal *terminal)
{
    json_t *columns = json_object_get(json_object_get(terminal->head, "columns"), "conditions");
    json_t *shown = must(json_array());
    for (size_t i = 0; i < json_array_size(columns); i++) {
        json_t *one = json_array_get(columns, i);
        const char *key = text_in(one, "key");
        if (terminal->verbose || (strcmp(key, "mean") != 0 && strcmp(key, "variance") != 0))
            json_array_append(shown, one);
    }
    return shown;
}

static void print_conditions(const struct terminal *terminal, const json_t *rows,
                             const struct findings *problems)
{
    json_t *columns = condition_columns(terminal), *shown = must(json_array());
    for (size_t i = 0; i < json_array_size(rows); i++)
        if (json_is_object(json_object_get(json_array_get(rows, i), "texts")))
            json_array_append(shown, json_array_get(rows, i));
    print_table(terminal, columns, shown, problems, NULL);
    json_decref(columns);
    json_decref(shown);
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
                         const struct findings *problems)
{
    const json_t *protection = json_object_get(experiment, "protection");
    const json_t *variants = json_object_get(experiment, "variants");
    const json_t *capacity = json_object_get(experiment, "capacity");
    if (json_is_object(variants)) {
        print_variants(terminal, variants, problems, false);
        puts("");
        return;
    }
    if (json_is_object(capacity)) {
        print_study(terminal, capacity, NULL);
        puts("");
        return;
    }
    if (json_is_object(protection)) {
        print_study(terminal, protection, "load");
        puts("");
        if (!terminal->verbose)
            return;
    }
    print_conditions(terminal, json_object_get(experiment, "rows"), problems);
    print_metrics(terminal, "condition_metrics", json_object_get(experiment, "metrics"));
    puts("");
}

static void print_experiment(const struct terminal *terminal)
{
    const json_t *experiment = json_object_get(terminal->head, "experiment");
    const json_t *rows = json_object_get(experiment, "rows");
    const bool brief =
        json_is_object(json_object_get(experiment, "protection")) && !terminal->verbose;
    struct findings problems = findings_of(rows, "problems");
    say_title(terminal, text_in(experiment, "command"), "");
    if (terminal->verbose)
        say_if_there(terminal, experiment, "where");
    say_if_there(terminal, experiment, "placed");
    puts("");
    say_answers(terminal, experiment);
    print_tables(terminal, experiment, &problems);
    if (!brief)
        say_each(terminal, "", json_object_get(experiment, "lines"));
    if (terminal->verbose)
        say_each(terminal, "", json_object_get(experiment, "details"));
    else if (!brief)
        say_each(terminal, "", json_object_get(experiment, "outliers"));
    say_numbered(terminal, "", &problems);
    say_notes(terminal, "", rows);
    say_notes_count(terminal, count_notes(rows));
    if (terminal->verbose) {
        OWNED char *memory = memory_text(terminal);
        say_family(terminal);
        say(terminal, "%s; %s.", key_text(terminal), memory);
    }
    say_next(terminal, experiment);
    findings_end(&problems);
}

// ---- a campaign

// The lines of a study of a row, behind its title.
static void print_studies(const struct terminal *terminal, const json_t *rows, const char *name,
                          const char *alike, const struct findings *problems)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *study = json_object_get(json_array_get(rows, i), name);
        if (!json_is_object(study))
            continue;
        puts("");
        say(terminal, "%s", text_in(study, "title"));
        if (problems)
            print_variants(terminal, study, problems, true);
        else
            print_study(terminal, study, alike);
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void say_floors(const struct terminal *terminal, const json_t *rows)
{
    size_t count = 0;
    const char **floors = must(calloc(json_array_size(rows) + 1, sizeof *floors));
    for (size_t i = 0; i < json_array_size(rows); i++) {
        floors[count] = json_string_value(json_object_get(json_array_get(rows, i), "floor"));
        count += floors[count] != NULL;
    }
    qsort(floors, count, sizeof *floors, by_text);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(floors[i - 1], floors[i]) != 0)
            say(terminal, "  %s", floors[i]);
    free(floors);
}

static void print_target(const struct terminal *terminal, json_t *rows)
{
    const json_t *columns = json_object_get(terminal->head, "columns");
    struct findings problems = findings_of(rows, "problems");
    json_t *others = must(json_array());
    for (size_t i = 0; i < json_array_size(rows); i++)
        json_array_extend(others, json_object_get(json_array_get(rows, i), "metrics"));
    say_title(terminal, text_in(json_array_get(rows, 0), "target"), "");
    print_table(terminal, json_object_get(columns, "cells"), rows, &problems, NULL);
    print_metrics(terminal, "cell_metrics", others);
    print_studies(terminal, rows, "variants", NULL, &problems);
    print_studies(terminal, rows, "capacity", NULL, NULL);
    print_studies(terminal, rows, "protection", "load", NULL);
    say_numbered(terminal, "  ", &problems);
    say_floors(terminal, rows);
    for (size_t i = 0; i < json_array_size(rows); i++)
        say_each(terminal, "  ", json_object_get(json_array_get(rows, i), "lines"));
    say_notes(terminal, "  ", rows);
    puts("");
    json_decref(others);
    findings_end(&problems);
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
        say_title(terminal, parts[i][1], "");
        say_each(terminal, "  ", lines);
    }
    if (any && !apart)
        puts("");
}

static json_t *next_row(const char *const *rows, size_t count, size_t i)
{
    return i < count ? must(json_loads(rows[i], JSON_DISABLE_EOF_CHECK, NULL)) : NULL;
}

// Only one target is held at a time.
static size_t print_targets(const struct terminal *terminal, const char *const *lines, size_t count)
{
    size_t notes = 0;
    json_t *row = next_row(lines, count, 0);
    for (size_t i = 0; row;) {
        json_t *rows = must(json_array());
        const json_t *target = json_object_get(row, "target");
        do {
            json_array_append_new(rows, row);
            row = next_row(lines, count, ++i);
        } while (row && json_equal(json_object_get(row, "target"), target));
        notes += count_notes(rows);
        print_target(terminal, rows);
        json_decref(rows);
    }
    return notes;
}

static void print_campaign(const struct terminal *terminal, const char *const *lines, size_t count)
{
    const json_t *texts = json_object_get(terminal->head, "texts");
    OWNED char *memory = memory_text(terminal);
    OWNED char *totals = text_of(": %s", text_in(texts, "totals"));
    say_title(terminal, text_in(texts, "name"), totals);
    say_if_there(terminal, texts, "answer");
    say_each(terminal, "on ", json_object_get(texts, "hosts"));
    puts("");
    const size_t notes = print_targets(terminal, lines, count);
    print_rest(terminal, false);
    say_notes_count(terminal, notes);
    say_family(terminal);
    say(terminal, "%s; runs are those alone + under load; a → b is alone → under load; %s.",
        key_text(terminal), memory);
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

bool terminal_print(const char *head, const char *const *rows, size_t count, bool verbose)
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
        print_campaign(&terminal, rows, count);
    }
    json_decref(parsed);
    return fflush(stdout) == 0 && !ferror(stdout);
}

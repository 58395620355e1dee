// draw: draws the charts of a page that it reads from stdin, and prints the page, or the charts
// alone.

#include "draw.h"

#include "common/messages.h"
#include "common/options.h"
#include "common/record_json.h"
#include "common/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char model_begins[] = "id=\"model\">\n", model_ends[] = "</script>\n";

struct request {
    const char *style; // page.css, where a picture is wanted
};

#define OPTIONS_OF struct request
static const struct option_row rows[] = {
    {OPTION_ROW(struct request, "picture", "CSS", OPTION_TEXT, style),
     .help = "print the charts alone, as one SVG picture in the colours of this style sheet"},
    {0},
};

// Whether a mark begins an element that drawings are made of, which are most of a page.
static bool is_drawn(const char *mark)
{
    return strncmp(mark, "<path ", 6) == 0 || strncmp(mark, "<text ", 6) == 0;
}

// The text of a model, in which nothing ends the element that it is in.
static void print_model(const json_t *model)
{
    OWNED char *text = must(json_dumps(model, LINE_FORMAT | JSON_ENSURE_ASCII));
    const char *rest = text;
    for (const char *mark = strchr(rest, '<'); mark; mark = strchr(mark + 1, '<'))
        if (!is_drawn(mark)) {
            printf("%.*s\\u003c", (int)(mark - rest), rest);
            rest = mark + 1;
        }
    printf("%s\n", rest);
}

// A line of stdin, or NULL at its end.
static const char *next_line(char **line, size_t *size)
{
    return getline(line, size, stdin) < 0 ? NULL : *line;
}

// The model between its two lines, a new reference; the page goes to stdout unless only the model
// counts.
static json_t *read_model(bool print)
{
    OWNED char *line = NULL;
    OWNED char *text = NULL;
    size_t size = 0, text_size = 0;
    const char *at;
    json_error_t error;
    while ((at = next_line(&line, &size))) {
        if (print)
            fputs(at, stdout);
        if (text_ends(at, model_begins))
            break;
    }
    FILE *model = must(open_memstream(&text, &text_size));
    while ((at = next_line(&line, &size)) && strcmp(at, model_ends) != 0)
        fputs(at, model);
    text = stream_text(model, &text);
    json_t *value = json_loads(text, JSON_ALLOW_NUL, &error);
    if (!value)
        complain("the page cannot be drawn: its model is incomplete: look at the message before "
                 "this one");
    return value;
}

static void print_rest(void)
{
    OWNED char *line = NULL;
    size_t size = 0;
    fputs(model_ends, stdout);
    for (const char *at; (at = next_line(&line, &size));)
        fputs(at, stdout);
}

// All of a text file, to be freed; NULL with errno.
static char *read_text(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return NULL;
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static bool print_picture(struct arena *arena, const struct charts *charts, const char *path)
{
    OWNED char *style = read_text(path);
    if (!style)
        return complain("cannot read %s: %s: install jostle again", path, strerror(errno));
    if (charts->count == 0)
        return complain("there is no chart in this: show it as a table (--format md)");
    fputs(picture_of(arena, charts, style), stdout);
    return true;
}

int main(int argc, char **argv)
{
    struct request request = {0};
    const struct option_group groups[] = {{rows, &request, NULL}};
    const struct program program = {.name = "draw",
                                    .intro = "draws the charts of a page of jostle",
                                    .groups = groups,
                                    .group_count = 1};
    int rest;
    streams_open();
    options_free(options_parse(&program, argc, argv, &rest));
    struct arena arena = {0};
    struct charts charts = {0};
    json_t *model = read_model(!request.style);
    bool done = model != NULL;
    if (done) {
        model_draw(&arena, model, &charts);
        if (request.style) {
            done = print_picture(&arena, &charts, request.style);
        } else {
            charts_free(&charts);
            model_strip(model);
            print_model(model);
            print_rest();
        }
    }
    charts_free(&charts);
    arena_free(&arena);
    json_decref(model);
    return done ? 0 : 1;
}

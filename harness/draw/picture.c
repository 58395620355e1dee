// All charts under one another as one picture, a document of SVG that needs neither a browser nor a
// style sheet of its own: the colours are those of the page in print.

#include "draw.h"

#include "common/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 560,  // of the picture
    DRAWN = 540,  // of a drawing, which is 360 units wide
    MARGIN = 10,  // at all sides
    LINE = 16,    // of text
    LETTERS = 88, // of a line of text
    GAP = 18      // between charts
};

// The value of a variable of the style sheet, the first one that it is given; length: of the value.
static const char *variable(const char *style, const char *name, size_t length,
                            size_t *value_length)
{
    for (const char *at = strstr(style, "--"); at; at = strstr(at + 2, "--")) {
        if (strncmp(at, name, length) != 0 || at[length] != ':')
            continue;
        at += length + 1;
        at += strspn(at, " ");
        *value_length = strcspn(at, ";}");
        return at;
    }
    *value_length = 0;
    return "";
}

// A line of the style sheet with the values in place of var(--NAME).
static void put_rule(FILE *out, const char *style, const char *line, size_t length)
{
    const char *end = line + length;
    while (line < end) {
        const char *use = strstr(line, "var(");
        if (!use || use >= end)
            break;
        const char *name = use + strlen("var(");
        const size_t name_length = strcspn(name, ")");
        size_t value_length;
        const char *value = variable(style, name, name_length, &value_length);
        fprintf(out, "%.*s%.*s", (int)(use - line), line, (int)value_length, value);
        line = name + name_length + 1;
    }
    fprintf(out, "%.*s\n", (int)(end - line), line);
}

// The rules of the page's style sheet that are about drawings.
static void put_style(FILE *out, const char *style)
{
    fputs("<style>\nsvg { font-family: sans-serif; }\ntext { font-size: 12px; fill: #1b1f24; }\n"
          ".bold { font-weight: bold; }\n",
          out);
    for (const char *line = style; *line;) {
        const size_t length = strcspn(line, "\n");
        const char *rule = line + strspn(line, " ");
        if (text_after(rule, ".plot "))
            put_rule(out, style, rule, length - (size_t)(rule - line));
        line += length + (line[length] == '\n');
    }
    fputs("</style>\n", out);
}

// Writes the lines of a text; the height behind it.
static double put_text(FILE *out, struct arena *arena, const char *text, double y, const char *look)
{
    OWNED char *folded = must(fold_text(text ?: "", LETTERS));
    for (char *line = folded, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        y += LINE;
        fprintf(out, "<text x=\"%d\" y=\"%g\"%s>%s</text>\n", MARGIN, y - 4, look,
                xml_text(arena, line));
    }
    return y;
}

static double put_keys(FILE *out, struct arena *arena, const struct chart *chart, double y)
{
    for (size_t i = 0; i < chart->key_count; i++) {
        const struct key *key = &chart->keys[i];
        y += LINE;
        fprintf(out,
                "<svg class=\"plot\" x=\"%d\" y=\"%g\" width=\"26\" height=\"10\" viewBox=\"0 0 26 "
                "10\">"
                "<g class=\"plot\">%s</g></svg>",
                MARGIN, y - 13, drawing_key(arena, key));
        fprintf(out, "<text x=\"%d\" y=\"%g\">%s</text>\n", MARGIN + 34, y - 4,
                xml_text(arena, key->name));
    }
    return y;
}

static double put_chart(FILE *out, struct arena *arena, const struct chart *chart, double y)
{
    const double scale = (double)DRAWN / 360, height = drawing_height(chart) * scale;
    y = put_text(out, arena, chart->title, y, " class=\"bold\"");
    y = put_text(out, arena, chart->caption, y, "");
    fprintf(out,
            "<g class=\"plot\" role=\"img\" transform=\"translate(%d %g) "
            "scale(%g)\"><desc>%s</desc>%s</g>\n",
            MARGIN, y + 4, scale, xml_text(arena, chart->text), drawing_of(arena, chart));
    y = put_keys(out, arena, chart, y + 4 + height);
    return put_text(out, arena, chart->note, y, "") + GAP;
}

const char *picture_of(struct arena *arena, const struct charts *charts, const char *style)
{
    char *inside = NULL, *text = NULL;
    size_t size = 0;
    double height = MARGIN;
    FILE *out = must(open_memstream(&inside, &size));
    for (size_t i = 0; i < charts->count; i++)
        height = put_chart(out, arena, &charts->item[i], height);
    inside = stream_text(out, &inside);
    out = must(open_memstream(&text, &size));
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%g\" viewBox=\"0 0 %d "
            "%g\">\n",
            WIDTH, height, WIDTH, height);
    put_style(out, style);
    fprintf(out, "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n%s</svg>\n", inside);
    free(inside);
    return arena_keep(arena, stream_text(out, &text));
}

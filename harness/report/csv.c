#include "csv.h"

#include "view.h"

#include "common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The same as in lib/visible.jq. Options of programs stay as they are: -O2 calls nothing. */
static bool is_formula(const char *text)
{
    text += strspn(text, " \t\r\n");
    return *text == '=' ||
           (*text != '\0' && strchr("+-@", *text) != NULL && strpbrk(text, "(|!#&'\"") != NULL);
}

/* The terminal is only asked about where there is something that it could obey. */
static bool is_to_be_visible(const char *text)
{
    while (*text >= ' ' && *text < 0x7f)
        text++;
    return *text != '\0' && isatty(STDOUT_FILENO);
}

static void begin(struct csv *csv)
{
    if (csv->inside)
        putc_unlocked(',', csv->file);
    csv->inside = true;
}

static void quote(struct csv *csv, const char *text)
{
    putc_unlocked('"', csv->file);
    if (is_formula(text))
        putc_unlocked('\'', csv->file);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            putc_unlocked('"', csv->file);
        putc_unlocked(*text, csv->file);
    }
    putc_unlocked('"', csv->file);
}

void csv_text(struct csv *csv, const char *text)
{
    begin(csv);
    if (text == NULL)
        return;
    char *plain = is_to_be_visible(text) ? visible(text) : NULL;
    quote(csv, plain == NULL ? text : plain);
    free(plain);
}

void csv_value(struct csv *csv, const struct value *value)
{
    if (view_is(value, VIEW_STRING)) {
        char *text = must(view_string(value));
        csv_text(csv, text);
        free(text);
        return;
    }
    begin(csv);
    if (value != NULL && value->type != VIEW_NULL && value->type != VIEW_ARRAY &&
        value->type != VIEW_OBJECT)
        fwrite_unlocked(value->text, 1, value->length, csv->file);
}

void csv_number(struct csv *csv, double number)
{
    struct line json = {0};
    if (isfinite(number))
        line_real(&json, NULL, number);
    csv_plain(csv, json.text == NULL ? "" : json.text);
    line_free(&json);
}

void csv_name(struct csv *csv, const struct value *value)
{
    if (view_is(value, VIEW_STRING))
        csv_value(csv, value);
    else
        csv_text(csv, "");
}

void csv_list(struct csv *csv, const struct value *list)
{
    char *all = must(strdup(""));
    for (const struct value *item = view_first(list); item != NULL; item = view_next(list, item)) {
        char *text = view_is(item, VIEW_STRING) ? must(view_string(item)) : NULL;
        if (text == NULL)
            continue;
        char *longer = text_of("%s%s%s", all, *all == '\0' ? "" : ",", text);
        free(text);
        free(all);
        all = longer;
    }
    csv_text(csv, all);
    free(all);
}

void csv_plain(struct csv *csv, const char *text)
{
    begin(csv);
    fputs_unlocked(text, csv->file);
}

void csv_end(struct csv *csv)
{
    putc_unlocked('\n', csv->file);
    csv->inside = false;
}

#include "config.h"

#include "file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

// So deep may files include each other, as in git. ALONE: nothing is included.
enum { DEEPEST = 10, ALONE = -1 };

// What is being read.
struct source {
    struct config *config;
    const char *file;
    FILE *stream;
    int c; // the character to look at next; at the end a line break
    unsigned line;
    int depth;                 // of includes; or ALONE
    const char *section, *sub; // that the next entry is in; NULL: none has begun
};

static void advance(struct source *source)
{
    source->line += source->c == '\n';
    source->c = getc(source->stream);
    if (source->c == '\r' && (source->c = getc(source->stream)) != '\n') {
        ungetc(source->c, source->stream);
        source->c = '\r';
    }
    if (source->c == EOF)
        source->c = '\n';
}

static bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_line(struct source *source)
{
    while (source->c != '\n')
        advance(source);
}

static bool read_key(struct source *source, FILE *key)
{
    for (; isalnum(source->c) || source->c == '-'; advance(source))
        fputc(tolower(source->c), key);
    return true;
}

// `[target "a"]` behind the bracket, as "target.a".
static bool read_header(struct source *source, FILE *name)
{
    for (; isalnum(source->c) || source->c == '-' || source->c == '.'; advance(source))
        fputc(tolower(source->c), name);
    if (is_blank(source->c)) {
        while (is_blank(source->c))
            advance(source);
        if (source->c != '"')
            return false;
        fputc('.', name);
        for (advance(source); source->c != '"'; advance(source)) {
            if (source->c == '\\')
                advance(source);
            if (source->c == '\n')
                return false;
            fputc(source->c, name);
        }
        advance(source);
    }
    return source->c == ']';
}

// What a value has for the character behind a backslash; 0: nothing.
static int escaped(int c)
{
    static const char letters[] = "tbn\\\"", meant[] = "\t\b\n\\\"";
    const char *found = c != '\0' ? strchr(letters, c) : NULL;
    return found ? meant[found - letters] : '\0';
}

// What is behind the =, up to the end of the line or a comment, without quotes and the blanks
// around it. False: a quote is open, or a backslash stands for nothing.
static bool read_value(struct source *source, FILE *value)
{
    bool quoted = false, any = false;
    size_t blanks = 0;
    for (; source->c != '\n'; advance(source)) {
        if (!quoted && is_blank(source->c)) {
            blanks += any;
            continue;
        }
        if (!quoted && (source->c == ';' || source->c == '#')) {
            skip_line(source);
            break;
        }
        for (; blanks > 0; blanks--)
            fputc(' ', value);
        if (source->c == '"') {
            quoted = !quoted;
            continue;
        }
        int c = source->c;
        if (c == '\\') {
            advance(source);
            if (source->c == '\n') // the value goes on in the next line
                continue;
            if ((c = escaped(source->c)) == '\0')
                return false;
        }
        fputc(c, value);
        any = true;
    }
    return !quoted;
}

// A text that one of these reads, kept with the entries; NULL: it is not in this syntax.
static char *take(struct source *source, bool (*read)(struct source *source, FILE *text))
{
    char *text = NULL;
    size_t size;
    FILE *stream = must(open_memstream(&text, &size));
    const bool good = read(source, stream);
    text = arena_keep(&source->config->arena, stream_text(stream, &text));
    return good ? text : NULL;
}

static bool take_header(struct source *source)
{
    advance(source);
    char *name = take(source, read_header), *dot = name ? strchr(name, '.') : NULL;
    advance(source);
    if (dot)
        *dot = '\0';
    source->section = name;
    source->sub = dot ? dot + 1 : "";
    return name && (dot || *name != '\0');
}

static bool take_entry(struct source *source)
{
    struct entry entry = {
        source->file,   source->line, source->section, source->sub, .key = take(source, read_key),
        .value = "true"};
    while (source->c == ' ' || source->c == '\t')
        advance(source);
    if (source->c == '=') {
        advance(source);
        entry.value = take(source, read_value);
    }
    MORE(source->config) = entry;
    return entry.section && entry.value && source->c == '\n';
}

static bool refuse(const struct source *source, unsigned line, const char *message)
{
    struct arena *arena = &source->config->arena;
    source->config->error = arena_format(arena, "%s:%u: %s", source->file, line, message);
    return false;
}

static bool take_all(struct source *source);

// What include.path names: from the home folder, or the one of the file that includes it.
static const char *included_path(struct arena *arena, const struct entry *entry)
{
    const char *home = getenv("HOME"), *slash = strrchr(entry->file, '/');
    if (entry->value[0] == '/')
        return entry->value;
    if (strncmp(entry->value, "~/", 2) == 0 && home)
        return arena_format(arena, "%s%s", home, entry->value + 1);
    return arena_format(arena, "%.*s/%s", slash ? (int)(slash - entry->file) : 1,
                        slash ? entry->file : ".", entry->value);
}

// Reads the file that the last entry includes, if it does.
static bool take_included(const struct source *source)
{
    struct arena *arena = &source->config->arena;
    const struct entry entry = source->config->item[source->config->count - 1];
    if (source->depth == ALONE || *entry.sub != '\0' || strcmp(entry.section, "include") != 0 ||
        strcmp(entry.key, "path") != 0)
        return true;
    struct source inner = {
        .config = source->config, .file = included_path(arena, &entry), .depth = source->depth + 1};
    if (inner.depth > DEEPEST)
        return refuse(source, entry.line, "include.path: files include each other: take it out");
    if ((inner.stream = file_open_record(inner.file)))
        return take_all(&inner);
    return refuse(source, entry.line,
                  arena_format(arena,
                               "include.path: %s cannot be read (%s): fix the path of the include",
                               inner.file, file_why(errno)));
}

// Reads the stream of a source to its end, and closes it.
static bool take_all(struct source *source)
{
    char mark[3]; // of UTF-8, which an editor may put in front
    bool good = true;
    if (fread(mark, 1, sizeof mark, source->stream) != sizeof mark ||
        memcmp(mark, "\xEF\xBB\xBF", sizeof mark) != 0)
        rewind(source->stream);
    source->line = 1;
    for (advance(source); good && !feof(source->stream);) {
        const unsigned line = source->line;
        const bool is_entry = isalpha(source->c);
        if (is_entry)
            good = take_entry(source);
        else if (source->c == '[')
            good = take_header(source);
        else if (source->c == '#' || source->c == ';')
            skip_line(source);
        else if (is_blank(source->c) || source->c == '\n')
            advance(source);
        else
            good = false;
        if (!good)
            refuse(source, line,
                   "this cannot be read: write [section \"NAME\"], and key = value below it");
        good = good && (!is_entry || take_included(source));
    }
    fclose(source->stream);
    return good;
}

bool config_read(struct config *config, const char *file, FILE *stream)
{
    struct source source = {.config = config,
                            .file = file,
                            .stream = stream ?: file_open_record(file),
                            .depth = stream ? ALONE : 0};
    *config = (struct config){.file = file};
    if (source.stream)
        return take_all(&source);
    config->error = arena_format(&config->arena, "%s cannot be read (%s): give another file", file,
                                 file_why(errno));
    return false;
}

void config_free(struct config *config)
{
    free(config->item);
    arena_free(&config->arena);
}

// Reads a record that is one JSON document, and says what is wrong with it.
#include "document.h"

#include "files.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/schemas.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGEST_BYTES (1L << 30) // of a record; runs.jsonl is read line by line

char *file_unread(const char *who, const char *name)
{
    return errno == ENOENT || errno == ENOTDIR
               ? NULL
               : text_of("%s/%s cannot be read (%s)", who, name, file_why(errno));
}

char *file_whole(const char *path, bool follow, size_t *length)
{
    struct stat status;
    const int file = file_open_regular(path, follow);
    if (file < 0)
        return NULL;
    if (fstat(file, &status) != 0 || status.st_size > LARGEST_BYTES) {
        close(file);
        errno = EFBIG;
        return NULL;
    }
    const size_t size = (size_t)status.st_size;
    char *text = must(malloc(size + 1));
    size_t used = 0;
    for (ssize_t more; used < size && (more = read(file, text + used, size - used)) > 0;)
        used += (size_t)more;
    close(file);
    text[used] = '\0';
    if (length)
        *length = used;
    return text;
}

// Why top is no record of this schema, to be freed; NULL: it is one.
static char *unusable(struct document *document, const char *schema, const char *who,
                      const char *name)
{
    const struct value *own = view_get(document->top, "schema");
    if (*document->view.text == '\0')
        return text_of("%s/%s is empty", who, name);
    if (!view_is(document->top, VIEW_OBJECT))
        return text_of("%s/%s is broken or half-written", who, name);
    if (view_equals(own, schema))
        return NULL;
    document->is_unknown = true;
    return text_of("%s/%s has the schema %.*s, which is not known here (%s): was it made by "
                   "another version of jostle?",
                   who, name, own ? (int)own->length : 4, own ? own->text : "null", schema);
}

char *document_read(struct document *document, const char *folder, const char *name,
                    const char *schema, const char *who)
{
    size_t length = 0;
    *document = (struct document){0};
    OWNED char *path = record_path(folder, name);
    OWNED char *text = file_whole(path, true, &length);
    if (!text)
        return file_unread(who, name);
    document->top = view_parse(&document->view, text, length);
    char *wrong = unusable(document, schema, who, name);
    if (wrong)
        document->top = NULL;
    return wrong;
}

char *experiment_document(struct document *document, const char *folder, const char *who)
{
    return document_read(document, folder, EXPERIMENT_FILE, SCHEMA_EXPERIMENT, who);
}

void document_free(struct document *document)
{
    view_free(&document->view);
    *document = (struct document){0};
}

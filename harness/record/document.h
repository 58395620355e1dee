// A record that is one JSON document, as a report reads it: what is no such record is said in
// words.
#ifndef RECORD_DOCUMENT_H
#define RECORD_DOCUMENT_H

#include "view.h"

#include <stdbool.h>
#include <stddef.h>

struct document {
    const struct value *top; // NULL: not there, or not usable
    struct view view;
    bool is_unknown; // it has the schema of another version
};

// Reads a JSON object of this schema from FOLDER/NAME. What is wrong with it, to be freed, as
// who/NAME; NULL: nothing, or it is not there. document_free() frees the document in any case.
char *document_read(struct document *document, const char *folder, const char *name,
                    const char *schema, const char *who);
void document_free(struct document *document);

// Opens experiment.json in the same way.
char *experiment_document(struct document *document, const char *folder, const char *who);

// A file of `who` that is there, and could not be opened (errno), to be freed; NULL: it is not
// there.
char *file_unread(const char *who, const char *name);

// The whole file, to be freed, but for more than a record may have; NULL with errno: there is none
// that can be read. follow: also through a symbolic link. length may be NULL.
char *file_whole(const char *path, bool follow, size_t *length);

#endif

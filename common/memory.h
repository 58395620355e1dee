#ifndef COMMON_MEMORY_H
#define COMMON_MEMORY_H

/* Memory that is there, or the program ends with a message: a report without
 * memory has nothing to fall back on. */

#include <stddef.h>

void *must(void *memory);
/* Room for one more element behind used of them; doubles *allocated when full. */
void *grown(void *array, size_t used, size_t *allocated, size_t element_size);
/* Text as printf makes it, to be freed. */
char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "a, b": more behind text, which is freed; text NULL or "": more alone. */
char *text_joined(char *text, const char *separator, const char *more);

#endif

/* Write a file once, with incompressible data, as fast as the disk can. */
#ifndef JOSTLE_IO_FILL_H
#define JOSTLE_IO_FILL_H

#include "io/file.h"

/* Several threads write large pieces, past the page cache where the file system
 * allows it, and make them durable. 0, also when file->interrupted() stopped
 * it; or -1 with the reason. */
int io_fill(const struct io_file *file, struct io_error *error);

#endif

#ifndef METER_TREE_H
#define METER_TREE_H

#include <stddef.h>

// tree_signal: sends the signal to every living descendant of this process, 0
// sends nothing. Orphans count, because this process adopts them. Returns how
// many there are; 0 also when /proc cannot be read.
size_t tree_signal(int signal_number);

#endif

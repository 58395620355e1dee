// Leaves plain files and folders in a tree of records, and nothing else.
#ifndef ARGUMENTS_PLAIN_H
#define ARGUMENTS_PLAIN_H

// plain FOLDER: removes what is neither a file nor a folder from it (links, pipes, devices), and
// takes the bits from the rest by which a program runs as its owner. Prints the paths of what it
// has removed, each ended by NUL. Returns the exit status: 1 after a message where something could
// not be removed or looked at, 2 for wrong use.
int plain(int argc, char **argv);

#endif

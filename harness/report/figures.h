#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include <stdbool.h>
#include <stdio.h>

// Copies records, JSON values one after the other, and gives each object that has figures a member
// "texts": each of these figures as people see it, under its name. What lays records out formats no
// number. Returns whether all could be read and written; a message says why not.
bool figures_copy(FILE *from, FILE *to);

#endif

#include "help.h"

const char help_text[] =
    "usage: estimate [OPTIONS] < RECORDS\n"
    "Reads run records, one JSON object a line, and answers each with what to run next.\n";

// What the exit status of jostle's commands says beside success and failure;
// harness/lib/messages.bash has the same for the shell.

#ifndef COMMON_EXIT_STATUS_H
#define COMMON_EXIT_STATUS_H

enum exit_status {
    EXIT_USAGE = 2,     // wrong use
    EXIT_ABOVE = 3,     // a limit that was given is exceeded
    EXIT_UNDECIDED = 4, // whether it is, is not known
    EXIT_TARGET = 5     // a program that was to be measured failed
};

#endif

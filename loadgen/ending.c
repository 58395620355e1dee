#include "ending.h"

#include <signal.h>
#include <stddef.h>

const int ending_signals[ENDING_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

bool ending_is_left_out(int number, bool control)
{
    struct sigaction action;
    return control && sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

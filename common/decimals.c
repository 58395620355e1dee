#include "decimals.h"

#include <math.h>

enum { MOST = 6 };

int decimals_apart(int decimals, double low, double high, double number)
{
    const double gap = low > number ? low - number : number - high; /* of the nearer bound */
    while (gap > 0 && decimals < MOST && gap * pow(10, decimals) < 0.5)
        decimals++;
    return decimals;
}

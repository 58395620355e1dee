// How the commands of campaign end what they print for the shell.

#include "campaign.h"

int print_end(void)
{
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}

void put_step_words(const json_t *words)
{
    JSON_EACH (word, words)
        pair_put("word", json_string_value(word));
    pair_put("end", "");
}

#include "common/topology.h"

#ifdef WITHOUT_hwloc

#include "common/cpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64, WORDS = CPUS_MOST / WORD_BITS };

struct hwloc_bitmap_s {
    uint64_t word[WORDS];
};

hwloc_bitmap_t hwloc_bitmap_alloc(void)
{
    return calloc(1, sizeof(struct hwloc_bitmap_s));
}

hwloc_bitmap_t hwloc_bitmap_dup(hwloc_const_bitmap_t set)
{
    hwloc_bitmap_t copy = hwloc_bitmap_alloc();
    if (copy != NULL)
        *copy = *set;
    return copy;
}

void hwloc_bitmap_free(hwloc_bitmap_t set)
{
    free(set);
}

int hwloc_bitmap_copy(hwloc_bitmap_t to, hwloc_const_bitmap_t from)
{
    *to = *from;
    return 0;
}

void hwloc_bitmap_zero(hwloc_bitmap_t set)
{
    memset(set, 0, sizeof *set);
}

int hwloc_bitmap_set(hwloc_bitmap_t set, unsigned member)
{
    if (member >= CPUS_MOST)
        return -1;
    set->word[member / WORD_BITS] |= UINT64_C(1) << member % WORD_BITS;
    return 0;
}

int hwloc_bitmap_clr(hwloc_bitmap_t set, unsigned member)
{
    if (member < CPUS_MOST)
        set->word[member / WORD_BITS] &= ~(UINT64_C(1) << member % WORD_BITS);
    return 0;
}

int hwloc_bitmap_isset(hwloc_const_bitmap_t set, unsigned member)
{
    return member < CPUS_MOST && (set->word[member / WORD_BITS] >> member % WORD_BITS & 1) != 0;
}

int hwloc_bitmap_iszero(hwloc_const_bitmap_t set)
{
    return hwloc_bitmap_first(set) < 0;
}

int hwloc_bitmap_weight(hwloc_const_bitmap_t set)
{
    int sum = 0;
    for (size_t i = 0; i < WORDS; i++)
        sum += __builtin_popcountll(set->word[i]);
    return sum;
}

int hwloc_bitmap_first(hwloc_const_bitmap_t set)
{
    return hwloc_bitmap_next(set, -1);
}

int hwloc_bitmap_next(hwloc_const_bitmap_t set, int before)
{
    for (unsigned member = (unsigned)(before + 1); member < CPUS_MOST; member++) {
        if (member % WORD_BITS == 0 && set->word[member / WORD_BITS] == 0)
            member += WORD_BITS - 1;
        else if (hwloc_bitmap_isset(set, member))
            return (int)member;
    }
    return -1;
}

int hwloc_bitmap_and(hwloc_bitmap_t to, hwloc_const_bitmap_t a, hwloc_const_bitmap_t b)
{
    for (size_t i = 0; i < WORDS; i++)
        to->word[i] = a->word[i] & b->word[i];
    return 0;
}

int hwloc_bitmap_or(hwloc_bitmap_t to, hwloc_const_bitmap_t a, hwloc_const_bitmap_t b)
{
    for (size_t i = 0; i < WORDS; i++)
        to->word[i] = a->word[i] | b->word[i];
    return 0;
}

int hwloc_bitmap_andnot(hwloc_bitmap_t to, hwloc_const_bitmap_t a, hwloc_const_bitmap_t b)
{
    for (size_t i = 0; i < WORDS; i++)
        to->word[i] = a->word[i] & ~b->word[i];
    return 0;
}

int hwloc_bitmap_intersects(hwloc_const_bitmap_t a, hwloc_const_bitmap_t b)
{
    for (size_t i = 0; i < WORDS; i++)
        if ((a->word[i] & b->word[i]) != 0)
            return 1;
    return 0;
}

int hwloc_bitmap_list_snprintf(char *text, size_t size, hwloc_const_bitmap_t set)
{
    size_t used = 0;
    if (size > 0)
        text[0] = '\0';
    for (int first = hwloc_bitmap_first(set), last; first >= 0;
         first = hwloc_bitmap_next(set, last)) {
        char part[32];
        for (last = first; hwloc_bitmap_isset(set, (unsigned)last + 1) != 0; last++)
            ;
        const int length = last == first ? snprintf(part, sizeof part, "%d,", first)
                                         : snprintf(part, sizeof part, "%d-%d,", first, last);
        if (used < size)
            snprintf(text + used, size - used, "%s", part);
        used += (size_t)length;
    }
    used -= used > 0; /* the comma behind the last one */
    if (used < size)
        text[used] = '\0';
    return (int)used;
}

int hwloc_bitmap_list_asprintf(char **text, hwloc_const_bitmap_t set)
{
    *text = malloc(CPUS_TEXT);
    return *text == NULL ? -1 : hwloc_bitmap_list_snprintf(*text, CPUS_TEXT, set);
}

#endif

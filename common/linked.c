#include "common/linked.h"

#ifdef JOSTLE_STATIC

#include <nss.h>

bool linked_static(void)
{
    return true;
}

void linked_names(void)
{
    (void)__nss_configure_lookup("hosts", "files dns");
    (void)__nss_configure_lookup("passwd", "files");
}

#else

bool linked_static(void)
{
    return false;
}

void linked_names(void)
{
}

#endif

#ifndef COMMON_LINKED_H
#define COMMON_LINKED_H

/* What depends on how this program was linked. One that is static (make bundle) runs on systems
 * with other libraries than those that it was made with, and can load none of theirs. */

#include <stdbool.h>

bool linked_static(void);

/* Call it before a name of a host or a user is looked up (getaddrinfo, getpwuid): in a static
 * program such names come from files and DNS alone. What else /etc/nsswitch.conf names are
 * libraries. */
void linked_names(void);

#endif

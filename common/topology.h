#ifndef COMMON_TOPOLOGY_H
#define COMMON_TOPOLOGY_H

/* The topology of the machine, by hwloc; in a build without hwloc, the part of its interface that
 * jostle uses, made of what /sys and the scheduler show (topology.c). Packages, NUMA nodes, caches,
 * cores and hardware threads are the same; --synthetic and HWLOC_SYNTHETIC know levels of the form
 * "TYPE:COUNT" only, and there is no XML. What is not declared here, callers may not use: no part
 * of hwloc after 2.1. */

#ifndef WITHOUT_hwloc

#include <hwloc.h>

#else

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- sets of CPUs or NUMA nodes ---- */

typedef struct hwloc_bitmap_s *hwloc_bitmap_t;
typedef const struct hwloc_bitmap_s *hwloc_const_bitmap_t;
typedef hwloc_bitmap_t hwloc_cpuset_t, hwloc_nodeset_t;
typedef hwloc_const_bitmap_t hwloc_const_cpuset_t, hwloc_const_nodeset_t;

hwloc_bitmap_t hwloc_bitmap_alloc(void);
hwloc_bitmap_t hwloc_bitmap_dup(hwloc_const_bitmap_t set);
void hwloc_bitmap_free(hwloc_bitmap_t set); /* NULL is fine */
int hwloc_bitmap_copy(hwloc_bitmap_t to, hwloc_const_bitmap_t from);
void hwloc_bitmap_zero(hwloc_bitmap_t set);
int hwloc_bitmap_set(hwloc_bitmap_t set, unsigned member);
int hwloc_bitmap_clr(hwloc_bitmap_t set, unsigned member);
int hwloc_bitmap_isset(hwloc_const_bitmap_t set, unsigned member);
int hwloc_bitmap_iszero(hwloc_const_bitmap_t set);
int hwloc_bitmap_weight(hwloc_const_bitmap_t set);
int hwloc_bitmap_first(hwloc_const_bitmap_t set); /* -1: none */
int hwloc_bitmap_next(hwloc_const_bitmap_t set, int before);
int hwloc_bitmap_and(hwloc_bitmap_t to, hwloc_const_bitmap_t a, hwloc_const_bitmap_t b);
int hwloc_bitmap_or(hwloc_bitmap_t to, hwloc_const_bitmap_t a, hwloc_const_bitmap_t b);
int hwloc_bitmap_andnot(hwloc_bitmap_t to, hwloc_const_bitmap_t a, hwloc_const_bitmap_t b);
int hwloc_bitmap_intersects(hwloc_const_bitmap_t a, hwloc_const_bitmap_t b);
/* "0-3,8"; returns the length that it has, or would have. */
int hwloc_bitmap_list_snprintf(char *text, size_t size, hwloc_const_bitmap_t set);
int hwloc_bitmap_list_asprintf(char **text, hwloc_const_bitmap_t set);

/* ---- objects, from the machine down to hardware threads ---- */

typedef enum {
    HWLOC_OBJ_MACHINE,
    HWLOC_OBJ_PACKAGE,
    HWLOC_OBJ_GROUP, /* the CPUs of a NUMA node */
    HWLOC_OBJ_L3CACHE,
    HWLOC_OBJ_L2CACHE,
    HWLOC_OBJ_L1CACHE,
    HWLOC_OBJ_L1ICACHE,
    HWLOC_OBJ_CORE,
    HWLOC_OBJ_PU,
    HWLOC_OBJ_NUMANODE, /* outside the tree */
    HWLOC_OBJ_TYPE_MAX
} hwloc_obj_type_t;

union hwloc_obj_attr_u {
    struct {
        uint64_t size; /* bytes; 0: not known */
        unsigned depth;
    } cache;
    struct {
        uint64_t local_memory; /* bytes */
    } numanode;
};

typedef struct hwloc_obj {
    hwloc_obj_type_t type;
    unsigned os_index; /* of hardware threads and nodes, as Linux numbers them */
    union hwloc_obj_attr_u *attr;
    struct hwloc_obj *parent, *prev_sibling, *next_cousin;
    hwloc_cpuset_t cpuset;
    hwloc_nodeset_t nodeset;
} * hwloc_obj_t;

typedef struct hwloc_topology *hwloc_topology_t;

enum { HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED = 1 };
typedef enum { HWLOC_TYPE_FILTER_KEEP_ALL, HWLOC_TYPE_FILTER_KEEP_NONE } hwloc_type_filter;
enum { HWLOC_CPUBIND_THREAD = 2, HWLOC_MEMBIND_BYNODESET = 32 };
typedef enum { HWLOC_MEMBIND_BIND = 2 } hwloc_membind_policy_t;

/* 0, or -1 with errno, unless said otherwise. */
int hwloc_topology_init(hwloc_topology_t *topology);
void hwloc_topology_destroy(hwloc_topology_t topology);
int hwloc_topology_set_synthetic(hwloc_topology_t topology, const char *description);
/* Nothing is filtered: these do nothing. */
int hwloc_topology_set_flags(hwloc_topology_t topology, unsigned long flags);
int hwloc_topology_set_io_types_filter(hwloc_topology_t topology, hwloc_type_filter filter);
int hwloc_topology_set_icache_types_filter(hwloc_topology_t topology, hwloc_type_filter filter);
int hwloc_topology_load(hwloc_topology_t topology);
int hwloc_topology_is_thissystem(hwloc_topology_t topology);
hwloc_const_cpuset_t hwloc_topology_get_topology_cpuset(hwloc_topology_t topology);
hwloc_const_cpuset_t hwloc_topology_get_allowed_cpuset(hwloc_topology_t topology);
hwloc_const_nodeset_t hwloc_topology_get_allowed_nodeset(hwloc_topology_t topology);

int hwloc_get_nbobjs_by_type(hwloc_topology_t topology, hwloc_obj_type_t type);
/* NULL: there is no such object. */
hwloc_obj_t hwloc_get_next_obj_by_type(hwloc_topology_t topology, hwloc_obj_type_t type,
                                       hwloc_obj_t before);
hwloc_obj_t hwloc_get_pu_obj_by_os_index(hwloc_topology_t topology, unsigned cpu);
hwloc_obj_t hwloc_get_numanode_obj_by_os_index(hwloc_topology_t topology, unsigned node);
hwloc_obj_t hwloc_get_ancestor_obj_by_type(hwloc_topology_t topology, hwloc_obj_type_t type,
                                           hwloc_obj_t object);
hwloc_obj_t hwloc_get_common_ancestor_obj(hwloc_topology_t topology, hwloc_obj_t a, hwloc_obj_t b);
int hwloc_obj_type_is_dcache(hwloc_obj_type_t type);

int hwloc_get_cpubind(hwloc_topology_t topology, hwloc_cpuset_t set, int flags);
int hwloc_set_area_membind(hwloc_topology_t topology, const void *memory, size_t bytes,
                           hwloc_const_nodeset_t nodes, hwloc_membind_policy_t policy, int flags);
int hwloc_get_area_memlocation(hwloc_topology_t topology, const void *memory, size_t bytes,
                               hwloc_nodeset_t nodes, int flags);

#endif
#endif

#ifndef BLAME_VICTIM_H
#define BLAME_VICTIM_H

/* Whose slowness is looked into: a program and its descendants, a control group, or everybody. */

#include "harness/blame/who.h"

#include "common/grouping.h"

#include <limits.h>

enum victim_kind { VICTIM_NODE, VICTIM_PROGRAM, VICTIM_PID, VICTIM_CGROUP, VICTIM_JOB };

struct victim {
    enum victim_kind kind;
    pid_t pid;                  /* the root of the tree, of programs and pids */
    char name[64];              /* its command's */
    struct grouping group;      /* of groups and jobs */
    char folder[PATH_MAX + 64]; /* the group whose quota and pressure count; "": not known */
};

/* Each ends the program with exit 2 where there is no such victim, or it can be none. */
void victim_pid(struct victim *victim, uint64_t pid);
void victim_cgroup(struct victim *victim, const char *path);
void victim_job(struct victim *victim, const char *job);

/* Whether it is one of them. parent: its own, where that is known. */
bool victim_has(const struct victim *victim, struct who *who, const struct who *parent);
/* Finds `folder`, of a tree or a job: that of its first process. */
void victim_find_folder(struct victim *victim, const struct who *who);
/* "pid 13021 (python3)", "this node". */
void victim_text(const struct victim *victim, char *text, size_t size);

#endif

/* What a part says of a peer. */
#include "handles.h"
#include "json.h"

#include "common/child.h"
#include "common/memory.h"

#include <stdio.h>
#include <unistd.h>

/* Whether the peer's program is one of jostle's workloads, or in PATH. */
static bool is_installed(const struct matrix *matrix, const char *program)
{
    char found[PATH_MAX];
    if (snprintf(found, sizeof found, "%s/%s", matrix->workloads, program) < PATH_MAX &&
        access(found, X_OK) == 0)
        return true;
    return child_find(program, found);
}

struct peer *cell_peer(struct cell *cell, const char *name, const char *program,
                       const char *package, const char *command, ...)
{
    FORMATTED(made, command);
    struct peer *peer = matrix_handle(cell->matrix, sizeof *peer);
    peer->json = must(json_pack("{s:s, s:s, s:s, s:o, s:s, s:{}, s:n}", "name", name, "program",
                                program, "package", package, "command", made, "version",
                                "--version", "figures", "reason"));
    if (!is_installed(cell->matrix, program))
        peer_skip(peer, "%s is not installed: apt install %s", program, package);
    if (cell->matrix->choice->peers)
        json_add(json_object_get(cell->json, "peers"), json_incref(peer->json));
    json_add(json_object_get(cell->matrix->part, "kept"), peer->json);
    return peer;
}

void peer_figure(struct peer *peer, const char *name, const char *source, double scale)
{
    json_put(json_object_get(peer->json, "figures"), name,
             must(json_pack("{s:s, s:f}", "source", source, "scale", scale)));
}

void peer_version(struct peer *peer, const char *words)
{
    json_put(peer->json, "version", json_text(words));
}

void peer_skip(struct peer *peer, const char *reason, ...)
{
    FORMATTED(made, reason);
    json_put(peer->json, "reason", made);
}

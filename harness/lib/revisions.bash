# The git revisions of --revision: each is checked out in a worktree of its own, and built
# there, before the experiment begins. Sourced, never run; needs messages, processes, temporary.
#
# They are in a folder of their own in $TMPDIR, whose `lock` we hold as long as we live: what
# a jostle that was killed has left behind is removed by the next one that needs revisions.
# shellcheck disable=SC2154 # shared with measure.bash and the others

revisions_folder=''     # where they all are; empty: nowhere
revisions_repository='' # whose revisions they are

# A shell's words for `git worktree ARG...` in the folder $1: one at a time in a repository, as git may fail
# on what another one has half written there. The shell holds the lock: what a hook of git leaves does not.
# shellcheck disable=SC2016 # expanded there
readonly REVISIONS_GIT='cd -- "$1" && exec {lock}<"$(git rev-parse --git-common-dir)" || exit
    "$JOSTLE_BIN/arguments" lock wait-exclusive "$lock" 2>/dev/null
    (exec {lock}<&- && exec git worktree "${@:2}")
    exit "$?"'

# revisions_open KIND ARG...: makes what the options of `jostle KIND` want, and says so to
# experiment by JOSTLE_REVISIONS, which harness/experiment/experiment.h describes.
revisions_open() {
    local -a text=() name=() rev=() recorded=() commit=() tree=()
    local i build='' records='' prefix place
    unset JOSTLE_REVISIONS
    [[ " $* " == *' --revision'* ]] || return 0
    answer_read text "$JOSTLE_BIN/experiment" --revisions "$@" || exit
    # No revisions, or --help, which is one text.
    ((${#text[@]} > 1)) || return 0
    for ((i = 0; i + 1 < ${#text[@]}; i += 2)); do
        case ${text[i]} in
            build) build=${text[i + 1]} ;;
            records) records=${text[i + 1]} ;;
            revision) name+=("${text[i + 1]}") recorded+=('') ;;
            revision_text) rev+=("${text[i + 1]}") ;;
            revision_tree) recorded[-1]=${text[i + 1]} ;;
        esac
    done
    revisions_begin
    prefix=$(git rev-parse --show-prefix)
    for i in "${!name[@]}"; do revisions_resolve "$i"; done
    JOSTLE_REVISIONS=''
    for i in "${!name[@]}"; do
        # Of one length: that of a program's path moves its stack, and so its time.
        printf -v place '%s/%02d' "$revisions_folder" "$((i + 1))"
        revisions_make "$i" "$place"
        [[ -z $build ]] || revisions_build "${name[i]}" "$place" "$build"
    done
    export JOSTLE_REVISIONS
}

# revisions_no_repository: says what git has against the one that we are in.
revisions_no_repository() {
    local said line advice='start jostle in the repository of TARGET'
    said=$(git rev-parse --show-toplevel 2>&1) || true
    # In all languages that git speaks the command that it proposes is the same.
    while IFS= read -r line; do
        [[ $line != *'git config '*safe.directory* ]] || advice="run git config ${line#*git config }"
    done <<<"$said"
    said=${said%%$'\n'*}
    usage_error "--revision: git refuses $PWD: ${said#fatal: }: $advice"
}

# revisions_unknown NAME REVISION: says why there is no such revision.
revisions_unknown() {
    local said='' line advice="give a commit, branch or tag of $revisions_repository, or . for the working tree"
    [[ $2 == -* ]] || while IFS= read -r line; do
        [[ -n $said || $line != 'error: '* ]] || said=${line#error: }
    done < <(git rev-parse --verify "$2^{commit}" 2>&1)
    [[ $(git rev-parse --is-shallow-repository 2>/dev/null) != true ]] ||
        advice="this clone is shallow, its history is cut off: run git fetch --unshallow (in CI, check out with fetch-depth: 0), or $advice"
    usage_error "--revision $1=$2: ${said:-there is no such revision}: $advice"
}

# revisions_begin: the repository, and the folder for all.
revisions_begin() {
    # Of a hook of git, that runs us; they are of its repository, not of a worktree.
    unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX
    type -P git >/dev/null || die '--revision: git is missing: install it'
    revisions_repository=$(git rev-parse --show-toplevel 2>/dev/null) || revisions_no_repository
    revisions_sweep
    local lock said
    said=$(mktemp -d "${TMPDIR:-/tmp}/jostle-revisions.XXXXXX" 2>&1) ||
        die "cannot make a temporary folder (${said##*: }): set TMPDIR to one that can be written"
    revisions_folder=$said
    temporary_note revisions "$revisions_folder"
    exec {lock}>"$revisions_folder/lock"
    private_fds+=("$lock")
    "$JOSTLE_BIN/arguments" lock exclusive "$lock" 2>/dev/null || warn "$revisions_folder cannot be locked: if jostle is killed, remove it"
    printf '%s\n' "$revisions_repository" >"$revisions_folder/repository"
    mkfifo "$revisions_folder/idle"
    exec {idle_fd}<>"$revisions_folder/idle"
    private_fds+=("$idle_fd")
}

# revisions_resolve I: sets commit and tree of a revision. What is resumed must be what it was.
revisions_resolve() {
    local i=$1
    if [[ ${rev[i]} == . ]]; then
        revisions_snapshot "$i"
    else
        # What would be an option of git's has no revision: --end-of-options is not in git before 2.30.
        { [[ ${rev[i]} != -* ]] && commit[i]=$(git rev-parse --verify --quiet "${rev[i]}^{commit}"); } ||
            revisions_unknown "${name[i]}" "${rev[i]}"
    fi
    tree[i]=$(git rev-parse --verify --quiet "${commit[i]}^{tree}")
    [[ -z ${recorded[i]} || ${recorded[i]} == "${tree[i]}" ]] ||
        usage_error "--resume: revision ${name[i]}=${rev[i]} is no longer what was measured (tree ${recorded[i]:0:12}, now ${tree[i]:0:12}): give the commit that was, or choose another folder"
}

# revisions_snapshot I: a commit of the working tree as it is, with what is new and not
# ignored, without our own records. The user's index, branches and stash stay as they are.
revisions_snapshot() {
    local index=$revisions_folder/index made inside
    local -a paths=(. ':(exclude,glob)**/jostle-results/**')
    [[ -z $records ]] || {
        inside=$(realpath --canonicalize-missing --relative-to="$revisions_repository" -- "$records")
        [[ $inside == ../* ]] || paths+=(":(exclude,literal)$inside")
    }
    cp "$(git rev-parse --git-path index)" "$index" 2>/dev/null || true
    made=$(
        export GIT_INDEX_FILE=$index GIT_AUTHOR_NAME=jostle GIT_AUTHOR_EMAIL=jostle@localhost \
            GIT_COMMITTER_NAME=jostle GIT_COMMITTER_EMAIL=jostle@localhost
        git -C "$revisions_repository" add --all -- "${paths[@]}" && git commit-tree -m 'the working tree as it is' "$(git write-tree)"
    ) || die "--revision ${name[$1]}=.: git cannot note the working tree: see above"
    commit[$1]=$made
}

# revisions_make I FOLDER: checks it out, and adds it to JOSTLE_REVISIONS.
revisions_make() {
    local i=$1 known=${commit[$1]}
    local said=$revisions_folder/said
    # Without --quiet, which is not in git before 2.19.
    foreground bash -p -c "$REVISIONS_GIT" bash "$revisions_repository" add --detach "$2" "${commit[i]}" >"$said" 2>&1 || {
        cat "$said" >&2
        die "--revision ${name[i]}=${rev[i]}: git cannot check it out: see above"
    }
    [[ ${rev[i]} != . ]] || known=''
    [[ -d $2/$prefix ]] || usage_error "--revision ${name[i]}=${rev[i]}: there is no folder $prefix in it: start jostle in one that all revisions have"
    JOSTLE_REVISIONS+="${name[i]}"$'\t'"$known"$'\t'"${tree[i]}"$'\t'"$2/$prefix"$'\n'
}

# revisions_build NAME FOLDER COMMAND: its output is shown where it fails, else as it comes
# with --verbose.
revisions_build() {
    local log=$revisions_folder/build.log code=0
    [[ " ${asked[*]} " != *' --verbose '* ]] || log=/dev/stderr
    # Redirected within: what we say when we are interrupted is not for the log.
    foreground bash -p -c 'cd -- "$1" && exec >"$2" 2>&1 && exec bash -c "$3"' bash "$2/$prefix" "$log" "$3" || code=$?
    ((code == 0)) || [[ $log == /dev/stderr ]] || tail -n 20 "$log" >&2
    ((code == 0)) || die "--build of $1 failed with status $code: see its last lines above, or all of them with --verbose"
}

# revisions_close: takes all of them away. Safe to call twice.
revisions_close() {
    [[ -z $revisions_folder ]] || revisions_remove "$revisions_folder" "$revisions_repository"
    revisions_folder=''
}

# revisions_remove FOLDER REPOSITORY: takes them away, and no other worktree: `git worktree
# prune` would forget one of the user's whose disk is not mounted.
revisions_remove() {
    local place
    for place in "$1"/[0-9][0-9]; do
        bash -p -c "$REVISIONS_GIT" bash "$2" remove --force --force "$place" 2>/dev/null || true
    done
    rm -rf -- "$1" 2>/dev/null || {
        # Some builds leave folders that cannot be written.
        chmod -R u+w -- "$1" 2>/dev/null || true
        rm -rf -- "$1" 2>/dev/null
    } || [[ ! -e $1 ]] || warn "$1 cannot be removed: remove it"
}

# revisions_sweep: takes away what was left by those that were killed.
revisions_sweep() {
    local left lock repository
    for left in "${TMPDIR:-/tmp}"/jostle-revisions.*; do
        # -O and -d follow a symbolic link, which anybody can make to a folder of ours.
        [[ ! -L $left && -O $left && ! -L $left/lock && -O $left/repository ]] || continue
        # Its owner may be removing it right now: then nothing is left to be opened.
        { exec {lock}>>"$left/lock"; } 2>/dev/null || continue
        if "$JOSTLE_BIN/arguments" lock exclusive "$lock" 2>/dev/null; then
            repository=''
            { IFS= read -r repository <"$left/repository"; } 2>/dev/null || true
            revisions_remove "$left" "$repository"
        fi
        exec {lock}>&-
    done
}

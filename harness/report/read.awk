# The records of many experiment folders as one stream of lines, so that one
# program can read them all and a broken one cannot stop it.
#
# Arguments come in threes: number, name, folder. For each: a line F with the
# name, then a line for each document that is there (S status.json,
# E experiment.json, X result.json), its line breaks made spaces, which JSON
# allows, then a line R for each line of runs.jsonl. Each line starts with its
# kind and the folder's number in 7 digits.
function clean(text) {
    gsub(/[\001-\037\177]/, "_", text)
    return text
}
function document(kind, path,    line, status, lines) {
    while ((status = (getline line < path)) > 0) {
        if (!lines++) print kind number
        print line " "
    }
    if (!lines && status == 0) print kind number # there, but empty
    if (lines || status == 0) print "\n"
    close(path)
}
function lines_of(kind, path,    line) {
    while ((getline line < path) > 0) print kind number line "\n"
    close(path)
}
BEGIN {
    ORS = ""
    for (i = 1; i < ARGC; i += 3) {
        number = sprintf("%07d", ARGV[i])
        folder = ARGV[i + 2]
        print "F" number clean(ARGV[i + 1]) "\n"
        document("S", folder "/status.json")
        document("E", folder "/experiment.json")
        document("X", folder "/result.json")
        lines_of("R", folder "/runs.jsonl")
    }
}

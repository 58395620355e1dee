# The folder of an experiment, when it is over. Sourced, never run.

# records_tidy FOLDER: takes away what is of no use to anybody: empty error files, and the folder itself
# when nothing was measured.
records_tidy() {
    local folder=$1 file
    local -a useless=()
    [[ -d $folder ]] || return 0
    for file in "$folder"/*.stderr "$folder"/service.stdout; do
        [[ -s $file || ! -e $file ]] || useless+=("$file")
    done
    # What is there and is no file is not ours.
    [[ -s $folder/runs.jsonl || (-e $folder/runs.jsonl && ! -f $folder/runs.jsonl) ]] || useless+=("$folder"/{runs.jsonl,experiment.json,target.stdout,service.stdout} "$folder"/*.stderr)
    ((${#useless[@]} == 0)) || rm -f -- "${useless[@]}" 2>/dev/null || true
    [[ -e $folder/runs.jsonl ]] || rmdir -- "$folder" 2>/dev/null || true
}

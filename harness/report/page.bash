# What pages carry with them. Sourced, never run.

# page_words ARRAY: sets ARRAY to the options that give jq $style and $script. (jq 1.5 has no --rawfile.)
page_words() {
    local -n page_words_result=$1
    local style script='' part name
    # There is no NUL in them, so each is read to its end, which `read` calls a failure.
    IFS= read -r -d '' style <"$JOSTLE_HARNESS/report/page.css" || true
    for name in charts report-charts report page; do
        IFS= read -r -d '' part <"$JOSTLE_HARNESS/report/$name.js" || true
        script+=$part
    done
    # shellcheck disable=SC2034 # the caller's
    page_words_result=(--arg style "$style" --arg script "$script")
}

# What pages carry with them. Sourced, never run.

# page_words ARRAY: sets ARRAY to the options that give jq $style and $script. (jq 1.5 has no --rawfile.)
page_words() {
    local -n page_words_result=$1
    local style script
    # There is no NUL in them, so both are read to their end, which `read` calls a failure.
    IFS= read -r -d '' style <"$JOSTLE_HARNESS/report/page.css" || true
    IFS= read -r -d '' script <"$JOSTLE_HARNESS/report/page.js" || true
    # shellcheck disable=SC2034 # the caller's
    page_words_result=(--arg style "$style" --arg script "$script")
}

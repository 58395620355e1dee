# From the record of a prediction to what people see: a format lays it out. Sourced, never
# run; needs lib/messages.bash.

# shellcheck source-path=SCRIPTDIR/../report source=../report/page.bash
source "$JOSTLE_HARNESS/report/page.bash"

# predict_layout FORMAT: lays out the record on stdin. Returns 0 also when its reader has had
# enough (… | head -1).
predict_layout() {
    local status=0
    local -a page=()
    [[ $1 != html ]] || page_words page
    jq -r -L "$JOSTLE_HARNESS" "${page[@]}" -f "$JOSTLE_HARNESS/predict/format/$1.jq" || status=$?
    ((status == 0 || status == 128 + 13)) || return 1 # it said why
}

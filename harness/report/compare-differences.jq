# Two experiment.json ($a and $b, each slurped) -> what is to be compared, and in
# what the experiments differ.
def words: map(if test("^[A-Za-z0-9_./:=,@%+-]+$") then . else "'" + gsub("'"; "'\\''") + "'" end) | join(" ");
def text: if . == null then "-" elif type == "string" then . else tojson end;

# Every leaf of an object, by a name with dots: {"a":{"b":1}} -> {"a.b": 1}
def leaves: . as $all | [paths(type != "object" and type != "array" or . == [])
  | { key: (map(tostring) | join(".")), value: (. as $path | $all | getpath($path)) }] | from_entries;
def differing($x; $y): ($x + $y | keys_unsorted)[] | select($x[.] != $y[.]) | { what: ., a: $x[.], b: $y[.] };

# The conditions' loads, by name.
def specs: [.loads[] | { key: .name, value: .spec }] | from_entries;
# Settings that say how long to measure do not change what is measured.
def conditions_of_running: .settings | { target_cpus, load_cpus, place, place_cpus, nice, load_nice, prepare, cleanup, timeout_s, cold, cold_path, engine, settle_s };

$a[0] as $a | $b[0] as $b
| ($a | specs) as $loads_a | ($b | specs) as $loads_b
| [$a.loads[].name | select(. as $name | $loads_b | has($name))] as $common
| { conditions: ($common - ["aa"]),
    only_a: ([$a.loads[].name] - $common), only_b: ([$b.loads[].name] - $common),
    # What makes the two no repetition of one experiment.
    grave: ((if $a.command != $b.command then [{ what: "command", a: ($a.command | words), b: ($b.command | words) }] else [] end)
      + [$common[] | select($loads_a[.] != $loads_b[.]) | { what: "load \(.)", a: ($loads_a[.] | text), b: ($loads_b[.] | text) }]),
    settings: [differing($a | conditions_of_running | map_values(text); $b | conditions_of_running | map_values(text))],
    environment: [differing($a.environment | del(.load_average) | leaves; $b.environment | del(.load_average) | leaves)],
    confidence: $a.settings.confidence,
    metric: ($a.settings.metric | join(",")) }

# The cells of expand.jq (inputs) -> a jostle.campaign/1. $target_keys and
# $load_keys: the keys of the halves; $programs: {word: program}; $campaign: the first
# line of expand.jq; $file: the campaign file; $name: for one without a name.
# All but the last two are lists of one.

# A folder's name: not too long, and not one that hides.
def folder($key): gsub("^[.-]"; "_") | if length > 120 then .[:110] + "_" + $key[:8] else . end;

[inputs
    | ($target_keys[0][.halves[0]][:32] + $load_keys[0][.halves[1]][:32]) as $key
    | { name: (.name | folder($key)), number: 0, key: $key, target, label: .label, parameters, command: ([$programs[0][.command[0]]] + .command[1:]),
        load, level, load_parameters, condition, node, spec, settings }]
| (map(.name) | group_by(.) | map(select(length > 1) | { (.[0]): true }) | add // {}) as $several
| to_entries
# Two that differ only in characters that a name cannot have.
| map(.key as $i | .value | .number = $i + 1 | if $several[.name] then .name += "_" + .key[:8] else . end)
| { schema: "jostle.campaign/1", name: ($campaign[0].name // $name), description: $campaign[0].description, file: $file,
    scratch: $campaign[0].scratch, calibrate_s: $campaign[0].calibrate_s, settings: $campaign[0].settings, cells: . }

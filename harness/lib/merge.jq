# Several campaign.json as one: what they agree on stays; the cells are all of
# theirs, the first of each name, in the order of their numbers.
[inputs] as $all
| def same(f): [$all[] | f] | unique | if length == 1 then .[0] else null end;
  def first_of_each: reduce .[] as $cell ({ seen: {}, kept: [] };
    if .seen[$cell.name] then . else .seen[$cell.name] = true | .kept += [$cell] end) | .kept;
  { schema: "jostle.campaign/1",
    name: ([$all[].name] | unique | join("+")),
    file: same(.file),
    settings: (same(.settings) // {}),
    cells: (if ([$all[].cells | map(.name)] | unique | length) == 1 then $all[0].cells
            else [$all[].cells[]] | sort_by(.number, .name) | first_of_each | to_entries | map(.value + { number: (.key + 1) })
            end) }

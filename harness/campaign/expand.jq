# The entries of a campaign file -> what is to be measured.
#
# Input: {entries, sections} of entries.jq. $options: the measuring
# options, {name: kind}. $values: what bash has made of the settings, [{index of
# the entry: value}]. $overrides: {setting: value} that hold for every cell.
# $builtin: {placeholder: text}.
#
# Output, a line each: the campaign, with the definitions of all halves of cells and
# the programs that are needed; then the cells. Or one line with an error.
#
# Whatever is the same for all cells of a target or of a load is worked out once:
# a cell is then put together from two halves.

def where: "\(.file):\(.line // "?")";
def fail($entry; $message; $word; $known; $advice):
  error({ where: ($entry | where), message: $message, word: $word, known: $known, advice: $advice });
def fail($entry; $message; $advice): fail($entry; $message; ""; []; $advice);

# --- text: words as a shell splits them, and templates

def quotes: "'[^']*'|\"(?:[^\"\\\\]|\\\\.)*\"|\\\\.";
def unquoted: [scan("\(quotes)|[^'\"\\\\]+")
  | if startswith("'") then .[1:-1] elif startswith("\"") then .[1:-1] | gsub("\\\\(?<c>.)"; .c) elif startswith("\\") then .[1:] else . end] | join("");
def words($entry):
  if test("['\"\\\\]") | not then [splits("[ \t\n]+") | select(. != "")]
  else "(?:[^ \t\n'\"\\\\]|\(quotes))+" as $word
  | if gsub($word; "") | test("[^ \t\n]") then fail($entry; "\($entry.key): a quote is not closed"; "close it") else . end
  | [scan($word) | unquoted]
  end;
def shell_word: if test("^[A-Za-z0-9_./:=,@%+-]+$") then . else "'" + (split("'") | join("'\\''")) + "'" end;

# "a {n} b" -> ["a ", {p: "n"}, " b"]; {{ and }} are braces.
def template: [match("\\{\\{|\\}\\}|\\{[A-Za-z][A-Za-z0-9-]*\\}|[^{}]+|[{}]"; "g").string
  | if . == "{{" then "{" elif . == "}}" then "}" elif test("^\\{.+\\}$") then { p: .[1:-1] } else . end];
def placeholders: [.[] | objects | .p];
def filled($parameters): map(if type == "string" then . else $parameters[.p] end) | join("");
# Placeholders that are filled in elsewhere, and so stay: {node2} of a load.
def foreign: test("^node[0-9]+$");
def self: with_entries(.value = "{\(.key)}");

# --- sections: {name, entry (for messages), own: {key: [entries]}}

def reserved: { campaign: ["name", "description", "scratch", "calibrate"], target: ["command", "case", "loads", "description"], load: ["spec", "case", "node", "description"] };
def sections_of($kind):
  ([.entries[] | select(.section == $kind)] | group_by(.sub) | map({ (.[0].sub): . }) | add // {}) as $entries
  | [.sections[] | select(.section == $kind)] | to_entries | map(.value + { position: .key }) | unique_by(.sub) | sort_by(.position)[]
  | { name: .sub, entry: ., entries: ($entries[.sub] // []) };
def all($key): [.entries[] | select(.key == $key)];
def only($key): all($key) | last; # the last one counts, as in git

def settings($kind): [.entries[] | select(.key as $key | ($options | has($key)) and (reserved[$kind] | index($key) | not))];

# The settings of a section, with the placeholders of text filled in.
def filled_settings($settings; $parameters):
  [$settings[] | .key as $key | { key: $key, value: $values[0][.index | tostring] }
    | if $options[$key] == "text" or $options[$key] == "list" then .value |= (template | filled($parameters | map_values(shell_word))) else . end]
  | reduce .[] as $s ({}; if $options[$s.key] == "list" then .[$s.key] = ([.[$s.key] // empty, $s.value] | join("\n")) else .[$s.key] = $s.value end)
  # A flag that is false is as if it was not there.
  | with_entries(select($options[.key] != "flag" or .value != ""));

# --- parameters

def check_values($entry): . as $list
  | if length == 0 then fail($entry; "\($entry.key) has no values"; "give some, with spaces between") else . end
  | (group_by(.) | map(select(length > 1)) | first) as $twice
  | if $twice then fail($entry; "\($entry.key): \($twice[0]) is there twice"; "take one away") else $list end;

# A section -> [{name, values}], in the order of the file.
def lists($kind): [.entries[] | select(.key as $key | (reserved[$kind] | index($key)) == null and ($options | has($key) | not))] as $own
  | reduce $own[] as $e ([]; (map(.name) | index($e.key)) as $i
      | if $i then .[$i].values += ($e.value | words($e)) | .[$i].entry = $e else . + [{ name: $e.key, values: ($e.value | words($e)), entry: $e }] end)
  | map(.entry as $e | .values |= check_values($e));

def case_row($e): $e.value | words($e)
  | map(capture("^(?<key>[a-z][a-z0-9-]*)=(?<value>.*)$") // fail($e; "case: \(.) is no NAME=VALUE"; "write case = a=1 b=2, with names in lower case"))
  | if length == 0 then fail($e; "case has no values"; "write case = a=1 b=2") else . end
  | if (map(.key) | unique | length) < length then fail($e; "case gives a name twice"; "give each once") else from_entries end;
def cases: [all("case")[] | { entry: ., row: case_row(.) }]
  | (group_by(.row) | map(select(length > 1)) | first) as $twice
  | if $twice then fail($twice[1].entry; "this case is there twice"; "take one away") else . end
  | .[0].row as $first
  | (map(select((.row | keys) != ($first | keys))) | first) as $other
  | if $other then fail($other.entry; "this case names \($other.row | keys | join(", ")), the first one \($first | keys | join(", "))"; "give all cases the same names") else . end;

# A section -> every choice of its parameters, each {name: value}.
def choices($kind): lists($kind) as $lists | cases as $cases
  | ([$lists[] | .name as $name | select(any($cases[]; .row | has($name)))] | first) as $both
  | if $both then fail($both.entry; "\($both.name) has values of its own, and in case"; "keep one of them") else . end
  | reduce $lists[] as $l ([{}]; [.[] as $one | $l.values[] as $v | $one + { ($l.name): $v }])
  | if ($cases | length) > 0 then [.[] as $one | $cases[] | .row + $one] else . end;

# Every placeholder is known, every parameter is used.
def check_placeholders($kind; $texts; $parameters): . as $section
  | ($parameters + ($builtin | keys)) as $known
  | ([$texts[] | .entry as $e | .template | placeholders[] | { name: ., entry: $e }]) as $used
  | ($used | map(select((.name | foreign | not) and (.name as $n | $known | index($n)) == null)) | first) as $unknown
  | if $unknown then fail($unknown.entry; "{\($unknown.name)}: unknown placeholder"; $unknown.name; $known; "give \($unknown.name | ascii_downcase) = VALUES in this section, or write {{ for a brace") else . end
  | ($parameters | map(select(. as $n | ($used | map(.name) | index($n)) == null)) | first) as $unused
  | if $unused then ([$section.entries[] | select(.key == $unused or (.key == "case" and (.value | test("(^|[ \t])" + $unused + "="))))] | first) as $e
      | fail($e; "\($unused) is used nowhere, and is no setting"; $unused; ($options | keys) + reserved[$kind]; "use {\($unused)} in \(if $kind == "target" then "command" else "spec" end), or take it away")
    else . end;

def name_part($parameters; $joined): [.name] + [$parameters | to_entries[] | if $joined then "\(.key)=\(.value)" else .value end] | map(gsub("[^A-Za-z0-9._%+=-]"; "_")) | join(".");

# --- targets: one half of a cell

def target_halves: . as $section
  | (only("command") // fail($section.entry; "target \(.name) has no command"; "add command = PROGRAM ARGUMENTS")) as $command
  | (settings("target")) as $settings
  | ($command.value | words($command) | map(template)) as $template
  | if ($template | length) == 0 then fail($command; "command is empty"; "write command = PROGRAM ARGUMENTS") else . end
  | choices("target") as $choices
  | check_placeholders("target"; [{ entry: $command, template: ($template | add) }] + [$settings[] | select($options[.key] | IN("text", "list")) | { entry: ., template: ($values[0][.index | tostring] | template) }]; $choices[0] | keys_unsorted)
  | [all("loads")[] | . as $e | .value | words($e)[] | { word: ., entry: $e }] as $loads
  | $choices[] as $parameters
  | { target: .name, parameters: $parameters, label: ([.name] + [$parameters | to_entries[] | "\(.key)=\(.value)"] | join(" ")),
      part: name_part($parameters; true), where: ($command | where), loads: $loads,
      command: ($template | map(filled($builtin + $parameters))), command_text: ($template | map(filled(($builtin | self) + $parameters))),
      settings: filled_settings($settings; $builtin + $parameters), settings_text: filled_settings($settings; ($builtin | self) + $parameters) };

# --- loads: the other half

def load_node: only("node") as $node
  | if $node == null then "" elif $node.value | test("^([1-9][0-9]*|all-others)$") then "@" + $node.value
    else fail($node; "node \($node.value): no such place"; "give a number of a node from 1 on, or all-others") end;

def load_halves: . as $section
  | (only("spec") // fail($section.entry; "load \(.name) has no spec"; "add spec = a loadgen command line, such as cpu --percent 50")) as $spec
  | (settings("load")) as $settings
  | ($spec.value | template) as $template
  | if $spec.value | test("[^ \t]") | not then fail($spec; "spec is empty"; "write spec = a loadgen command line, such as cpu --percent 50") else . end
  | choices("load") as $choices
  | check_placeholders("load"; [{ entry: $spec, template: $template }] + [$settings[] | select($options[.key] | IN("text", "list")) | { entry: ., template: ($values[0][.index | tostring] | template) }]; $choices[0] | keys_unsorted)
  | load_node as $node
  # What is filled in elsewhere stays as it is.
  | ([$template | placeholders[] | select(foreign) | { (.): "{\(.)}" }] | add // {}) as $foreign
  | $choices[] as $parameters
  | { load: .name, parameters: $parameters, level: ($parameters.level // null), part: name_part($parameters; false), node: $node, where: ($spec | where),
      spec: ($template | filled(($builtin + $parameters | map_values(shell_word)) + $foreign)), spec_text: ($template | filled(($builtin | self) + ($parameters | map_values(shell_word)) + $foreign)),
      settings: filled_settings($settings; $builtin + $parameters), settings_text: filled_settings($settings; ($builtin | self) + $parameters) }
  | .condition = ([$section.name, ($parameters | to_entries[] | .value)] | map(gsub("[^A-Za-z0-9._%-]"; "_")) | join("-") | if IN("baseline", "aa") then . + "-load" else . end);

# --- the whole

def check_sections:
  ([.sections[] | select(.section | IN("campaign", "target", "load", "include") | not)] | first) as $unknown
  | if $unknown then fail($unknown; "[\($unknown.section)]: unknown section"; $unknown.section; ["campaign", "target", "load", "include"]; "use campaign, target \"NAME\", load \"NAME\" or include") else . end
  | ([.sections[] | select((.section | IN("target", "load")) and .sub == "")] | first) as $nameless
  | if $nameless then fail($nameless; "[\($nameless.section)] has no name"; "write [\($nameless.section) \"NAME\"]") else . end
  | ([.entries[] | select(.section == "campaign" and (.key as $k | .sub != "" or ((reserved.campaign | index($k)) == null and ($options | has($k) | not))))] | first) as $wrong
  | if $wrong then fail($wrong; "\($wrong.key): unknown setting"; $wrong.key; ($options | keys) + reserved.campaign; "see jostle campaign --help") else . end;

# How long to measure, and how sure to be, make no other experiment.
def fixed_settings: with_entries(select(.key | IN("error", "confidence", "min-runs", "max-runs", "max-time", "metric", "at-most", "strict") | not));

def check_loads($loads): ($loads | map(.load) | unique) as $names
  | ([.[] | .loads[] | select(.word as $w | ($names + ["none"]) | index($w) | not)] | first) as $unknown
  | if $unknown then fail($unknown.entry; "loads: no load is named \($unknown.word)"; $unknown.word; $names; "name loads of this file, or none") else . end;

def none: { load: null, parameters: {}, level: null, part: null, node: "", spec: null, spec_text: null, condition: "baseline", settings: {}, settings_text: {} };

# The loads that a target is measured under: all, or those that it names.
def loads_for($loads; $none): .loads as $asked
  | if ($asked | length) > 0 then [$asked[].word] as $names | $loads[] | select(.load as $l | $names | index($l)), (if $names | index("none") then $none else empty end)
    elif ($loads | length) > 0 then $loads[] else $none end;

# What makes the one half of an experiment another one: its key is made of both.
def target_definition($campaign_text): [.target, .parameters, .command_text, ($campaign_text + .settings_text + $overrides | fixed_settings)] | tojson;
def load_definition: [.load, .node, .parameters, .spec_text, (.settings_text | fixed_settings)] | tojson;

def cell($target; $load; $campaign):
  { name: ([$target.part, $load.part // empty] | join("@")), target: $target.target, label: $target.label, parameters: $target.parameters,
    command: $target.command, load: $load.load, level: $load.level, load_parameters: $load.parameters, condition: $load.condition, node: $load.node, spec: $load.spec,
    settings: ($campaign + $target.settings + $load.settings + $overrides), halves: [$target.number, $load.number] } | tojson;

def expand:
  check_sections
  | .entries |= (to_entries | map(.value + { index: .key }))
  | ({ name: "campaign", entries: [.entries[] | select(.section == "campaign")] }) as $campaign
  | ($campaign | settings("campaign")) as $campaign_settings
  | ($campaign | check_placeholders("campaign"; [$campaign_settings[] | select($options[.key] | IN("text", "list")) | { entry: ., template: ($values[0][.index | tostring] | template) }]; [])) as $checked
  | filled_settings($campaign_settings; $builtin) as $settings
  | filled_settings($campaign_settings; $builtin | self) as $settings_text
  | ([sections_of("load") | load_halves] + [none] | to_entries | map(.value + { number: .key })) as $all_loads
  | $all_loads[-1] as $none | $all_loads[:-1] as $loads
  | ([sections_of("target") | target_halves] | to_entries | map(.value + { number: .key })) as $targets
  | if ($targets | length) == 0 then error({ where: null, message: "there is no target", word: "", known: [], advice: "add [target \"NAME\"] with command = PROGRAM" }) else . end
  | ($targets | check_loads($loads)) as $checked
  | { name: (($campaign | only("name") | .value) // null), description: (($campaign | only("description") | .value) // null),
      scratch: (($campaign | only("scratch") | .value) // null), calibrate_s: ($campaign | only("calibrate") | if . then ($values[0][.index | tostring] | tonumber) else null end),
      settings: ($settings + $overrides),
      definitions: { target: [$targets[] | target_definition($settings_text)], load: [$all_loads[] | load_definition] },
      programs: ([$targets[] | { word: .command[0], where }] | unique_by(.word)) },
    ($targets[] as $t | $t | loads_for($loads; $none) as $l | cell($t; $l; $settings));

try (expand | if type == "string" then . else tojson end)
catch (if type == "object" then { error: . } | tojson else error(.) end)

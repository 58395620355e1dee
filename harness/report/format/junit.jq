# JUnit XML: a case for each ratio, judged by --at-most.
# files: .xml
# reads: rows
#
# A test suite for each experiment: the command, so that a series goes on wherever the records are; of a campaign, and where
# two have the same command, the experiment's name. A ratio that does not say on which side of --at-most it
# is has no answer: skipped. An experiment that failed, or did not end, is an error; one that
# was not started is skipped. Without --at-most nothing can fail.
include "report/rows";
include "lib/text";

# What XML 1.0 cannot say is not there: the program has made it visible.
def xml:
  if . == null then ""
    else tostring | explode
    | map(if . == 9 or . == 10 or . == 13 or ((. >= 32 and . < 127) or . > 159 and . != 65534 and . != 65535) then . else 65533 end)
    | implode | @html end;
def attribute($name): " \($name)=\"\(xml | put("\n"; "&#10;") | put("\t"; "&#9;"))\"";

def figures:
  if .ratio == null then .figure
    else ("\(.reference) -> \(.figure): ratio "
      + "\(.ratio)\(if .change == null then "" else ", \(.change)" end)\(if .verdict == null then "" else ": \(.verdict)" end)") end;
def said: if .message == null then figures else "\(.message)\n\(figures)" end;

def seconds: . * 1000 | round / 1000;

def check_case:
  "    <testcase\(.suite | attribute("classname"))\("\(.what): \(.metric)" | attribute("name")) time=\"\(.time_s | seconds)\">",
  (if .gate == "above" then "      <failure\(.message | attribute("message")) type=\"above\">\(said | xml)</failure>"
   else (if .gate == "undecided" then "      <skipped\(.message | attribute("message"))/>" else empty end),
     "      <system-out>\(said | xml)</system-out>" end),
  "    </testcase>";

def waiting_case:
  "    <testcase\(.suite | attribute("classname")) name=\"measurement\" time=\"0\">",
  (if .state == "waiting" or .state == "running" then "      <skipped\("\(.state): \(.reason)" | attribute("message"))/>"
   else "      <error\("\(.state): \(.reason)" | attribute("message")) type=\"\(.state | xml)\">\(.reason | xml)</error>" end),
  "    </testcase>";

def property($name): "      <property name=\"\($name)\"\(attribute("value"))/>";

def counts($checks; $waiting):
  def of($list; $states): [$list[] | select(.gate // .state | IN($states[]))] | length;
  { tests: ($checks + $waiting | length), failures: of($checks; ["above"]), errors: of($waiting; ["failed", "interrupted"]),
    skipped: of($checks + $waiting; ["undecided", "waiting", "running"]), time: ([$checks[].time_s] | add // 0 | seconds) };
def counted: "tests=\"\(.tests)\" failures=\"\(.failures)\" errors=\"\(.errors)\" time=\"\(.time)\"";

# One experiment: its rows, and why it is not done where it is not.
def suite($rows; $waiting):
  [$rows[] | .suite as $suite | .checks[] | . + { $suite }] as $checks
  | ($rows[0] // $waiting[0] | { suite, started, host }) as $first
  | counts($checks; $waiting) as $counts
  | { $counts,
      lines: [
        ("  <testsuite\($first.suite | attribute("name")) \($counts | counted) "
          + "skipped=\"\($counts.skipped)\"" + (if $first.started then $first.started[:19] | attribute("timestamp") else "" end)
          + (if $first.host then $first.host | attribute("hostname") else "" end) + ">"),
        ([$rows[] | if .variants == null then .texts.program else .title // .variants.title end] | unique | if . == [] then empty
          else "    <properties>", (.[] | property("program")), "    </properties>" end),
        ($checks[] | check_case), ($waiting[] | waiting_case),
        # What seldom happens is no part of what a gate judges.
        ([$rows[].lines[] | select(contains(": Besides, "))] | if . == [] then empty
          else "    <system-out>\(join("\n") | xml)</system-out>" end),
        ([$rows | findings("problems")[] | finding_text] | if . == [] then empty
          else "    <system-err>\(join("\n") | xml)</system-err>" end),
        "  </testsuite>"] };

. as $head
| [inputs] as $rows
| ([($rows[] | { name: .experiment, title }), ($head.waiting[] | { name, title })] | map(.title = (.title // .name | visible))
  | unique) as $known
| def suites(name): map(name as $name | .suite = (first($known[] | select(.name == $name) | .title) as $title
    | if ([$known[] | select(.title == $title)] | length) > 1 then $name else $title end));
  ($head.waiting | suites(.name)) as $waiting
| ($rows | suites(.experiment) | group_by(.experiment)) as $rows
| [ ($rows[] | .[0].experiment as $name | suite(.; [$waiting[] | select(.name == $name)])),
    ([$rows[][0].experiment] as $names | $waiting[] | select(.name | IN($names[]) | not) | suite([]; [.])) ] as $suites
| (if ($known | length) == 1 then $known[0].title else $head.texts.name end) as $name
| ([$suites[].counts]
  | { tests: (map(.tests) | add), failures: (map(.failures) | add), errors: (map(.errors) | add),
  time: (map(.time) | add | seconds) }) as $all
| "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
  "<testsuites\($name | attribute("name")) \($all | counted)>", $suites[].lines[], "</testsuites>"

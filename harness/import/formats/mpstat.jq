# title: sysstat's mpstat -P ALL -o JSON
# match: "timestamp" *: *"
# step: 0
def seconds: capture("(?<h>[0-9]+):(?<m>[0-9]+):(?<s>[0-9]+) *(?<half>[AP]M)?")
  | ((.h | tonumber) % (if .half then 12 else 24 end) + (if .half == "PM" then 12 else 0 end)) * 3600 + (.m | tonumber) * 60 + (.s | tonumber);
def busy: 100 - .idle - (.iowait // 0) - (.steal // 0);
.sysstat.hosts[0].statistics
# At midnight the times begin again.
| reduce (.[] | select(.timestamp and ."cpu-load")) as $one ({day: 0, last: 0, rows: []};
    ($one.timestamp | seconds) as $at
    | .day += (if $at < .last then 86400 else 0 end) | .last = $at
    | ([$one."cpu-load"[] | select(.cpu != "all")] | if length > 0 then . else [$one."cpu-load"[]] end) as $cpus
    | .rows += ["\($at + .day)\t\([$cpus[] | busy | tostring] | join(" "))"])
| .rows[]

# title: sysstat's sadf -j (with -- -P ALL -b -n DEV for all that is read)
# match: "timestamp" *: *[{] *"date"
# step: 0
def cpus: [(."cpu-load" // [])[] | select(.cpu != "all" and .cpu != "-1")] | sort_by(.cpu | tonumber);
def busy: 100 - .idle - (.iowait // 0) - (.steal // 0);
.sysstat.hosts[0] | (.statistics // [])[] | select(.timestamp and (."cpu-load" or .io or .network))
| [((.timestamp.date + "T" + .timestamp.time + "Z") | fromdateiso8601),
   (if (cpus | length) > 0 then [cpus[] | busy | tostring] | join(" ")
    elif ."cpu-load" then [."cpu-load"[] | busy | tostring] | join(" ") else "0" end)]
  + (if .io then ["disk_reads_per_s=\(.io."io-reads".rtps)", "disk_writes_per_s=\(.io."io-writes".wtps)",
        "disk_read_bytes_per_s=\(.io."io-reads".bread * 512)", "disk_write_bytes_per_s=\(.io."io-writes".bwrtn * 512)"] else [] end)
  + (if .network."net-dev" then (.network."net-dev" | map(select(.iface != "lo"))
      | ["received_bytes_per_s=\(map(.rxkB) | add // 0 | . * 1024)", "sent_bytes_per_s=\(map(.txkB) | add // 0 | . * 1024)",
         "received_packets_per_s=\(map(.rxpck) | add // 0)", "sent_packets_per_s=\(map(.txpck) | add // 0)"]) else [] end)
| map(tostring) | join("\t")

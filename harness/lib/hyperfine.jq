# A meter record of hyperfine itself, with hyperfine's figures for the target
# in the place of meter's for the pair of them. What hyperfine cannot tell is null.
$h[0].results[0] as $r
| .wall_s = $r.times[0]
| .user_s = $r.user
| .system_s = $r.system
| .max_rss_bytes = $r.memory_usage_byte[0]?
| .exit_code = $r.exit_codes[0]
| .signal = (if $r.exit_codes[0] == null then .signal else null end)
| .tree_peak_bytes = null
| .accounting = "hyperfine"

# The last of the runs, in words: how did the target fail?
last
| if .timed_out then "ran into the time-out after \(.wall_s) s"
  elif .start_error then "could not be started (\(.start_error))"
  elif .signal then "was ended by signal \(.signal)"
  else "failed with exit code \(.exit_code)"
  end

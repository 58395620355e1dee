# The cell of a campaign -> the fields of status.json that never change.
{ cell: .name, key,
  limits: (.settings // {} | with_entries(select(.key | IN("error", "confidence", "min-runs", "max-runs", "max-time", "metric", "at-most")))) }
| tojson[1:-1]

# estimate's summary of the fixed work -> the noise floor, a member a kind.
.warnings as $warnings
| [ .conditions[]
    | .name as $name
    | select(.wall_s != null and .wall_s.mean > 0 and .wall_s.stddev != null)
    | { kind: $name, runs, mean_s: .wall_s.mean, stddev_s: .wall_s.stddev,
        cv: (.wall_s.stddev / .wall_s.mean),
        slowest: (.wall_s.max / .wall_s.median),
        signs: [$warnings[] | select(.condition == $name and (.metric == null or .metric == "wall_s")) | .flag] } ]

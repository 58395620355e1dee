# $differences (from differences.jq) and estimate's comparisons, one for
# each condition, on the input -> jostle.comparison/1.
[., inputs] as $summaries
| { schema: "jostle.comparison/1", a: $a, b: $b,
    confidence: ($summaries[0].confidence),
    differences: ($differences[0] | { command_or_load: .grave, settings, environment, only_a, only_b }),
    comparisons: [$summaries[].comparisons[]] }

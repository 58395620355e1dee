# jostle.bench/1, as bench.json has it.
# files: .json
del(.counts, .parts[].texts, .parts[].rows[].texts, .parts[].rows[].numbers)

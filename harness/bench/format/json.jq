# jostle.bench/1, as bench.json has it.
# files: .json
del(.parts[].texts, .parts[].rows[].texts, .parts[].rows[].numbers)

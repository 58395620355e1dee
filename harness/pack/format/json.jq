# jostle.pack/1, as pack.json has it.
# files: .json
del(.columns, .lines, .charts, .rows[].texts)

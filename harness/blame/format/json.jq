# jostle.blame-history/1: what a watch has written, row by row.
# files: .json
del(.charts)

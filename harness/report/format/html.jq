# One page with plots, which works offline.
# files: .html .htm
# reads: page
empty

# The profile as it is: a jostle.program/1.
# files: .json
.

# The record as it is.
.

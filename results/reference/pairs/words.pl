# Strings in a hash, and a count of those that match.
my %words;
$words{$_ * 7919 % 100003} .= chr(97 + $_ % 26) for 1 .. 350000;
my $found = grep { /[aeiou]{2}/ } values %words;
print "$found\n";

# A bulk transfer over a loopback connection, as iperf3 makes it: transfer.pl BYTES.
use strict;
use warnings;
use IO::Socket::INET;

my $bytes = shift;
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1) or die "listen: $!";
my $sender = fork // die "fork: $!";
if (!$sender) {
    my $out = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $server->sockport)
        or die "connect: $!";
    my $block = 'x' x 131072;
    for (my $left = $bytes; $left > 0;) { $left -= syswrite($out, $block) // die "send: $!" }
    exit;
}
my $in = $server->accept or die "accept: $!";
my $got = 0;
while (my $n = sysread $in, my $block, 131072) { $got += $n }
waitpid $sender, 0;
die "$got bytes came" if $got < $bytes;

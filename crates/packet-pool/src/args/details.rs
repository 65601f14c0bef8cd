//! The end of `--help`.

pub(crate) const DETAILS: &str = "\
Keys:
  flows    VLAN identifiers, IP version and protocol, and both endpoints, whichever
           way the packet went: addresses with ports for TCP, UDP, UDP-Lite, SCTP
           and DCCP, with the identifier for ICMP and ICMPv6 requests and replies,
           with type and code for other ICMP, and alone for other protocols. Of a
           fragmented datagram only the first fragment has ports; the others count
           as one flow of their addresses and protocol.
  packets  a hash of what a mirrored copy has in common with the packet, up to
           64 KiB: addresses, protocol, length, identification, fragment offset
           and all behind the IP headers. TTL, hop limit, header checksum, traffic
           class, IP options, link header and tags are not in it. So a packet that
           was sent again and is equal to the last byte counts as a copy.

What it shows:
  packets      how many were read, and how many have no key
  passes       how many times the workers go through the packets
  workers      a line for each worker: the packets it took, the keys it saw
               first, the duplicates, the packets whose keys the filter refused
               because it was full, and the packets it did a second
  throughput   the packets of all the passes, divided by the time from the first
               worker's start to the last one's end; a stream sets its own pace
  filter       its size and its load factor, the part of its slots in use
  flows        the flows seen first, by protocol
and with --verify:
  flows        the distinct flows, from exact sets
  sum          how those that the filter reported add up to them
  rotations    the periods with packets, and the keys that were told new in two
               periods in a row because workers had packets of both in hand
  missing      keys that should be known and are not
  probes       how often the filter answers \"known\" for keys that are not in
               the capture, next to how often its present load makes one expect

Window: there are two filters. Both are asked, the younger is filled, also with
known keys; every window the older goes and a fresh one comes. No worker waits for
that. A packet that comes late counts as one of the present window.

A signal (Ctrl-C, SIGTERM) ends the reading, and the totals are shown; a second
one ends the program at once.

Exit status:
  0  all went well, a signal that ended the reading included
  1  the capture could not be read, or not to its end (what was read is
     reported), or a file could not be written
  2  an option is wrong, or asks for more memory or threads than there are
  3  the filter was full and refused keys
  4  a check failed: answers do not agree with the exact sets, or there are
     more false positives than chance explains";

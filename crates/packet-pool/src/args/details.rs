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
           and everything after the IP headers. It leaves out TTL, hop limit, header
           checksum, traffic class, IP options, link header and tags. So a packet that
           was sent again and is equal in every byte counts as a copy.

What it shows:
  packets      how many were read, and how many have no key
  passes       how many times the workers go through the packets
  workers      a line for each worker: the packets it took, the keys it saw
               first, the duplicates, the packets whose keys the filter refused
               because it was full, and the packets it handled per second
  throughput   the packets of all the passes, divided by the time from the first
               worker's start to the last one's end; a stream sets its own pace
  filter       its size and its load factor, the part of its slots in use
  written      the packets written with --write
  flows        the flows seen first, by protocol
and with --verify:
  flows        the distinct flows, from exact sets
  sum          how the flows that the filter reported add up to the distinct flows
  rotations    the periods with packets, and the batches that a worker was so late with
               that they count for a later window; if filters grow, the keys that were
               new in two windows, because workers had packets of both in work
  missing      keys that should be known but are not
  probes       how often the filter answers \"known\" for keys that are not in
               the capture, and how often that is expected at its current load

Window: one filter with two generations. Workers ask both, and put new and known keys
into the younger one. After every window it forgets the older one. No worker waits for
that. A late packet counts as a packet of the current window. If the filters grow, there
are two for each window instead: the new one, and that of the window before.

Lines of --print:
  text  2026-01-31T12:00:00.000000001Z TCP 192.0.2.1:1234 > 198.51.100.7:443 length 60
        Where a packet has no IP addresses, there are those of Ethernet, or a hyphen.
  json  an object with time, protocol, source, source_port, destination,
        destination_port, vlans and length; what a packet does not have is left out
  If nobody reads standard output any more, the run ends, without a report.

A signal (Ctrl-C, SIGTERM) ends the reading, and the program shows the totals. A second
signal ends the program at once.

Exit status:
  0  success, also if a signal ended the reading
  1  the capture could not be read, or not to its end (what was read is
     reported), or a file could not be written, or not all of it
  2  an option is wrong, or asks for more memory or threads than there are
  3  the filter was full and refused keys
  4  a check failed: answers do not agree with the exact sets, or there are
     more false positives than chance explains";

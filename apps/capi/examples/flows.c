/*
 * flows FILE [THREADS]: prints the first packet of each flow of a capture, pcap or pcapng, as
 * `lockfree-cuckoo-packets --print text`.
 *
 * Threads take the packets in bursts, and share one filter without a lock. It grows, so the number
 * of flows need not be known. A flow is VLANs, protocol and both endpoints, in either direction. If
 * several threads meet a new flow, one of them is told.
 *
 *     gcc -std=c11 flows.c $(pkg-config --cflags --libs lockfree-cuckoo libpcap) -lpthread -o flows
 */
#define _DEFAULT_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <pcap/pcap.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lockfree_cuckoo.h"

enum { BURST = 32, KEPT = 256, MOST_THREADS = 64 };

struct packet {
    struct timeval time; /* the fraction is in nanoseconds */
    size_t length, kept;
    bool is_new;
    uint8_t bytes[KEPT]; /* the headers, and 0 where the packet ends before */
};

/* An endpoint: an address and a port, in network order. */
struct end {
    uint8_t address[16], port[2];
};

/* The key of a flow. It has bytes only, so there is no padding. */
struct key {
    struct end ends[2];
    uint8_t vlans[8], version, protocol;
};

static struct packet *packets;
static size_t packet_count;
static atomic_size_t next_packet;
static lfcf_filter *seen;
static int link_type;

static unsigned be16(const uint8_t *bytes) { return (unsigned)bytes[0] << 8 | bytes[1]; }

static bool has_ports(int protocol) { return protocol == IPPROTO_TCP || protocol == IPPROTO_UDP; }

/* Returns where IP starts, behind the link header and the VLANs, which go into the key. */
static size_t network(const uint8_t *bytes, struct key *key)
{
    size_t at = link_type == DLT_LINUX_SLL2 ? 20 : 14;
    unsigned type = be16(bytes + (link_type == DLT_LINUX_SLL2 ? 0 : 12)), tags = 0;
    for (; (type == 0x8100 || type == 0x88a8 || type == 0x9100) && tags < 4; at += 4) {
        type = be16(bytes + at + 2);
        key->vlans[2 * tags] = bytes[at] & 0x0f; /* without the priority */
        key->vlans[2 * tags++ + 1] = bytes[at + 1];
    }
    return type == 0x0800 || type == 0x86dd ? at : KEPT;
}

/* Computes the key of a packet, from its sender to its receiver. Returns false if it is not IP. A
 * packet of IPv6 with extension headers has the key of its addresses and the first extension
 * header. */
static bool parse(const struct packet *packet, struct key *key)
{
    memset(key, 0, sizeof *key);
    const uint8_t *bytes = packet->bytes;
    size_t at = network(bytes, key), end;
    if (at + 20 > packet->kept)
        return false;
    key->version = bytes[at] >> 4;
    if (key->version == 4) {
        key->protocol = bytes[at + 9];
        memcpy(key->ends[0].address, bytes + at + 12, 4);
        memcpy(key->ends[1].address, bytes + at + 16, 4);
        end = be16(bytes + at + 6) & 0x1fff ? 0 : at + be16(bytes + at + 2); /* a later fragment has no ports */
        at += 4 * (size_t)(bytes[at] & 0x0f);
    } else if (key->version == 6 && at + 40 <= packet->kept) {
        key->protocol = bytes[at + 6];
        memcpy(key->ends[0].address, bytes + at + 8, 16);
        memcpy(key->ends[1].address, bytes + at + 24, 16);
        end = at + 40 + be16(bytes + at + 4);
        at += 40;
    } else {
        return false;
    }
    if (at + 8 > packet->kept || at + 4 > end)
        return true;
    /* ICMP has a type and a code instead of ports. An echo and its reply share an identifier. */
    bool is_ping = key->protocol == IPPROTO_ICMP && (bytes[at] == 0 || bytes[at] == 8);
    if (is_ping || (key->protocol == IPPROTO_ICMPV6 && (bytes[at] & 0xfe) == 128)) {
        key->ends[0].port[0] = 8;
        memcpy(key->ends[1].port, bytes + at + 4, 2);
    } else if (has_ports(key->protocol) || key->protocol == IPPROTO_ICMP || key->protocol == IPPROTO_ICMPV6) {
        memcpy(key->ends[0].port, bytes + at, 2);
        memcpy(key->ends[1].port, bytes + at + 2, has_ports(key->protocol) ? 2 : 0);
    }
    return true;
}

/* Makes it the key of both directions. The fields that ICMP has instead of ports belong to neither
 * end. */
static void forget_direction(struct key *key)
{
    size_t size = has_ports(key->protocol) ? sizeof(struct end) : sizeof key->ends[0].address;
    struct end first = key->ends[0];
    if (memcmp(&first, &key->ends[1], size) > 0) {
        memcpy(&key->ends[0], &key->ends[1], size);
        memcpy(&key->ends[1], &first, size);
    }
}

static void *work(void *unused)
{
    for (size_t at; (at = atomic_fetch_add(&next_packet, BURST)) < packet_count;) {
        uint64_t hashes[BURST], mask;
        struct packet *of_hash[BURST];
        size_t count = 0, done;
        for (size_t end = at + BURST; at < end && at < packet_count; at++) {
            struct key key;
            if (!parse(&packets[at], &key))
                continue;
            forget_direction(&key);
            of_hash[count] = &packets[at];
            lfcf_hash_bytes(seen, &key, sizeof key, &hashes[count++]);
        }
        for (size_t begin = 0; begin < count; begin += done) {
            int answer = lfcf_insert_unique_bulk(seen, hashes + begin, count - begin, &mask, &done);
            if (answer < 0 && answer != LFCF_DISTURBED && answer != LFCF_NO_DESCRIPTOR)
                errx(1, "%s", lfcf_last_error());
            for (size_t i = 0; i < done; i++)
                of_hash[begin + i]->is_new = mask >> i & 1;
        }
    }
    return unused;
}

static void print(const struct packet *packet)
{
    static const char *names[256] = {
        [IPPROTO_TCP] = "TCP", [IPPROTO_UDP] = "UDP", [IPPROTO_ICMP] = "ICMP", [IPPROTO_ICMPV6] = "ICMPv6"};
    struct key key;
    char text[64];
    parse(packet, &key);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", gmtime(&packet->time.tv_sec));
    printf("%s.%09ldZ %s", text, (long)packet->time.tv_usec, names[key.protocol] ? names[key.protocol] : "IP");
    for (int i = 0; i < 2; i++) {
        bool is_bracketed = has_ports(key.protocol) && key.version == 6;
        inet_ntop(key.version == 4 ? AF_INET : AF_INET6, key.ends[i].address, text, sizeof text);
        printf("%s%s%s%s", i ? " > " : " ", is_bracketed ? "[" : "", text, is_bracketed ? "]" : "");
        if (has_ports(key.protocol))
            printf(":%u", be16(key.ends[i].port));
    }
    printf(" length %u\n", (unsigned)packet->length);
}

int main(int count, char **arguments)
{
    char error[PCAP_ERRBUF_SIZE];
    int threads = count > 2 ? atoi(arguments[2]) : 2, answer;
    if (count < 2 || count > 3 || threads < 1 || threads > MOST_THREADS)
        errx(1, "usage: flows FILE [THREADS, 1 to 64]");
    pcap_t *capture = pcap_open_offline_with_tstamp_precision(arguments[1], PCAP_TSTAMP_PRECISION_NANO, error);
    if (capture == NULL)
        errx(1, "%s: %s", arguments[1], error);
    link_type = pcap_datalink(capture);
    if (link_type != DLT_EN10MB && link_type != DLT_LINUX_SLL2)
        errx(1, "%s: neither Ethernet nor Linux cooked v2", arguments[1]);
    struct pcap_pkthdr *header;
    const u_char *bytes;
    while ((answer = pcap_next_ex(capture, &header, &bytes)) == 1) {
        if ((packet_count & (packet_count - 1)) == 0)
            packets = realloc(packets, 2 * (packet_count + 1) * sizeof *packets);
        if (packets == NULL)
            errx(1, "no memory");
        size_t kept = header->caplen < KEPT ? header->caplen : KEPT;
        packets[packet_count] = (struct packet){.time = header->ts, .length = header->len, .kept = kept};
        memcpy(packets[packet_count++].bytes, bytes, kept);
    }
    if (answer == PCAP_ERROR)
        errx(1, "%s: %s", arguments[1], pcap_geterr(capture));
    pcap_close(capture);
    lfcf_options options = {.size = sizeof options, .kind = LFCF_GROWING, .capacity = 100000};
    if (lfcf_create(&options, &seen) < 0)
        errx(1, "%s", lfcf_last_error());
    pthread_t workers[MOST_THREADS];
    for (int i = 0; i < threads; i++)
        if (pthread_create(&workers[i], NULL, work, NULL) != 0)
            errx(1, "no thread");
    for (int i = 0; i < threads; i++)
        pthread_join(workers[i], NULL);
    for (size_t i = 0; i < packet_count; i++)
        if (packets[i].is_new)
            print(&packets[i]);
    lfcf_destroy(seen);
    free(packets);
    return 0;
}

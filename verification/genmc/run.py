#!/usr/bin/env python3
"""Runs the clients under GenMC, and shows that weaker orderings fail.

    run.py                     the short selection: the clients that must fail with a change, with the code and with that
    run.py --long              all clients; all weaker orderings, those that survive with every client that is quick
    run.py clients [NAME...]   clients: a program (fixed), a client (fixed:66), a run of it (fixed:66:0)
    run.py weaker [NAME...]    weaker orderings, by name
    run.py weakest             the quick clients with all weaker orderings that survive at once
    run.py list                the names of both

The program is $GENMC, or `genmc`. Without it nothing is run, and the only line says so.
"""
import argparse
import concurrent.futures
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
GENMC = os.environ.get("GENMC") or shutil.which("genmc")
PROGRAMS = ["fixed", "rotating", "several", "doubling"]

# Each access, its ordering, and the functions of the crate that have it: `cargo test -p verify`
# compares them. Words in C are those of protocol.h.
ORDERINGS = {
    # words
    "PAIR_TO_LOOK": "SEQ_CST",  # Pair::load
    "PAIR_TO_INSERT": "SEQ_CST",  # Pair::load
    "PAIR_TO_REMOVE": "SEQ_CST",  # Pair::load
    "WORD_LOAD": "SEQ_CST",  # Table::load, growing: load
    "SOURCE_LOAD": "SEQ_CST",  # Table::load, growing: load; of the source of an arriving token
    "ADD": "SEQ_CST",  # Table::exchange, Level::exchange, LevelPair::exchange; a content for another
    "INSTALL": "SEQ_CST",  # Table::exchange, Level::exchange
    "THAW": "SEQ_CST",  # Table::exchange, Level::exchange
    "WORD_FAILURE": "SEQ_CST",  # Table::exchange, Level::exchange, LevelPair::exchange
    "COMMIT": "SEQ_CST",  # Table::exchange, Level::exchange; by which the owner of a change of one word commits
    "WITNESS": "SEQ_CST",  # Table::load_crosswise, Level::load_crosswise
    "PAIR_LOADED": "(void)0",  # Pair::load; a fence after both loads, in a weaker variant
    # stripes and scans
    "VERSION": "ACQUIRE",  # Stripe::version
    "VERSION_AGAIN": "RELAXED",  # Stripe::unchanged
    "BUMP_ORDER": "ACQ_REL",  # Stripes::bump
    "ANNOUNCE_SCAN": "ACQ_REL",  # Stripes::announce_scan
    "SCAN_BEGIN": "ACQUIRE",  # Hints::scan
    "SCAN_END": "RELEASE",  # Hints::end_scan
    "PASS": "ACQUIRE",  # Stripes::bumps; before and after a pass that empties a table
    # descriptors
    "PUBLISH": "RELEASE",  # Claim::publish
    "CONTROL": "SEQ_CST",  # Descriptor::control
    "CONTROL_AGAIN": "SEQ_CST",  # Descriptor::control
    "CONTROL_OF_OWNER": "SEQ_CST",  # Descriptor::control
    "DECISION": "SEQ_CST",  # Descriptor::decide
    "DECISION_FAILURE": "SEQ_CST",  # Descriptor::decide
    "CLAIM": "ACQUIRE",  # Descriptor::take_shared
    "TAKE": "RELEASE",  # Descriptor::take_from
    "DROP": "RELEASE",  # <Claim as Drop>::drop
    "SEGMENT_LOAD": "ACQUIRE",  # OnceBox in Segment::next; by a thread that claims
    "SEGMENT_FIND": "ACQUIRE",  # OnceBox in Segment::next; by a thread that has a reference
    "SEGMENT_ADD": "RELEASE",  # OnceBox in Segment::next_or_add
    # the state of a rotation
    "STATE_LOAD": "SEQ_CST",  # AtomicState::load
    "STATE_EXCHANGE": "SEQ_CST",  # AtomicState::replace
    "STATE_FAILURE": "SEQ_CST",  # AtomicState::replace
    # a table that doubles, and a second table
    "ROOT_LOAD": "SEQ_CST",  # Levels::root
    "ROOT_EXCHANGE": "SEQ_CST",  # Levels::replace_root
    "ROOT_FAILURE": "SEQ_CST",  # Levels::replace_root
    "BLOCK_GET": "ACQUIRE",  # OnceBox in Levels::memory
    "BLOCK_ADD": "RELEASE",  # OnceBox in Levels::memory_or_new
    "BELOW_LOAD": "ACQUIRE",  # Sweep::below
    "BELOW_STORE": "RELEASE",  # Sweep::lead_to
    "CURSOR_LOAD": "ACQUIRE",  # Sweep::children
    "CURSOR_MOVE": "ACQ_REL",  # Sweep::move_cursor
}

WORDS_ACQ_REL = "PAIR_TO_LOOK=ACQUIRE PAIR_TO_INSERT=ACQUIRE PAIR_TO_REMOVE=ACQUIRE WORD_LOAD=ACQUIRE " \
    "SOURCE_LOAD=ACQUIRE ADD=ACQ_REL INSTALL=ACQ_REL THAW=ACQ_REL COMMIT=ACQ_REL WORD_FAILURE=ACQUIRE WITNESS=ACQUIRE"
CONTROLS_ACQ_REL = "CONTROL=ACQUIRE CONTROL_AGAIN=ACQUIRE CONTROL_OF_OWNER=ACQUIRE DECISION=ACQ_REL DECISION_FAILURE=ACQUIRE"

SURVIVES = None
# Weaker orderings, and the clients that must fail with each; none may with one that SURVIVES. Words
# that are no ordering are defined as they are.
WEAKER = {
    "pairs acquire": ("PAIR_TO_LOOK=ACQUIRE PAIR_TO_INSERT=ACQUIRE PAIR_TO_REMOVE=ACQUIRE", "fixed:80:0"),
    "a remove's pair acquires": ("PAIR_TO_REMOVE=ACQUIRE", "fixed:66:0"),
    "an insert's pair is relaxed": ("PAIR_TO_INSERT=RELAXED", SURVIVES),
    "pairs are relaxed": ("PAIR_TO_LOOK=RELAXED PAIR_TO_INSERT=RELAXED PAIR_TO_REMOVE=RELAXED", "fixed:80:0"),
    "two relaxed loads and a fence": (
        "PAIR_TO_LOOK=RELAXED PAIR_TO_INSERT=RELAXED PAIR_TO_REMOVE=RELAXED PAIR_LOADED=FENCE", "fixed:80:0"),
    "a word is loaded to acquire": ("WORD_LOAD=ACQUIRE SOURCE_LOAD=ACQUIRE", "fixed:49:0"),
    "a word is loaded relaxed": ("WORD_LOAD=RELAXED SOURCE_LOAD=RELAXED", "fixed:10:0 fixed:10:1"),
    "the source is loaded to acquire": ("SOURCE_LOAD=ACQUIRE", SURVIVES),
    "the source is loaded relaxed": ("SOURCE_LOAD=RELAXED", "fixed:10:1"),
    "an exchange acquires and releases": ("ADD=ACQ_REL", "fixed:80:0"),
    "an exchange acquires": ("ADD=ACQUIRE", "fixed:100:0"),
    "an install acquires and releases": ("INSTALL=ACQ_REL", "fixed:40:0 fixed:88:0"),
    "an install acquires": ("INSTALL=ACQUIRE", "fixed:10:0 fixed:10:1"),
    "a write-back releases": ("THAW=RELEASE", SURVIVES),
    "a write-back acquires": ("THAW=ACQUIRE", "fixed:10:0 fixed:10:1"),
    "a failed exchange is relaxed": ("SPLIT_CAS WORD_FAILURE=RELAXED DECISION_FAILURE=RELAXED", SURVIVES),
    "the witness is loaded to acquire": ("WITNESS=ACQUIRE", "fixed:40:0"),
    "a commit of one word acquires and releases": ("COMMIT=ACQ_REL", "fixed:87:0"),
    "a commit of one word acquires": ("COMMIT=ACQUIRE", "fixed:82:0"),
    "the version is relaxed": ("VERSION=RELAXED", "fixed:10:0 fixed:10:1"),
    "a bump acquires": ("BUMP_ORDER=ACQUIRE", "fixed:10:0 fixed:10:1"),
    "a bump releases": ("BUMP_ORDER=RELEASE", "fixed:92:0"),
    "an announcement acquires": ("ANNOUNCE_SCAN=ACQUIRE", "fixed:92:0"),
    "an announcement releases": ("ANNOUNCE_SCAN=RELEASE", "fixed:92:0"),
    "the right to scan is relaxed": ("SCAN_BEGIN=RELAXED SCAN_END=RELAXED", SURVIVES),
    "a publication is relaxed": ("PUBLISH=RELAXED CHECK_STALE", "fixed:20:0 fixed:24:0 fixed:76:0"),
    "a publication has no fence": ("NO_PUBLISH_FENCE", "fixed:76:0 fixed:76:1"),
    "a resolution has no fence": ("NO_READ_FENCE", "fixed:76:0 fixed:76:1"),
    "a control is loaded to acquire": ("CONTROL=ACQUIRE CONTROL_AGAIN=ACQUIRE CONTROL_OF_OWNER=ACQUIRE", "fixed:88:0"),
    "a control is loaded relaxed": ("CONTROL=RELAXED CONTROL_AGAIN=RELAXED CONTROL_OF_OWNER=RELAXED", "fixed:10:0 fixed:10:1"),
    "a control is loaded again relaxed": ("CONTROL_AGAIN=RELAXED CONTROL_OF_OWNER=RELAXED", SURVIVES),
    "a decision acquires and releases": ("DECISION=ACQ_REL DECISION_FAILURE=ACQUIRE", "fixed:88:0"),
    "a decision acquires": ("DECISION=ACQUIRE DECISION_FAILURE=ACQUIRE", "fixed:10:0 fixed:10:1"),
    "a claim is relaxed": ("CLAIM=RELAXED", "fixed:76:0 fixed:76:1"),
    "a descriptor is given back relaxed": ("DROP=RELAXED", "fixed:76:0 fixed:76:1"),
    "words and controls acquire and release": (f"{WORDS_ACQ_REL} {CONTROLS_ACQ_REL}", "fixed:66:0"),
    "controls acquire and release": (CONTROLS_ACQ_REL, "fixed:88:0"),
    # an added segment of descriptors
    "a segment is added relaxed": ("SEGMENT_ADD=RELAXED", "fixed:113:0"),
    "a segment is loaded relaxed to claim": ("SEGMENT_LOAD=RELAXED", "fixed:113:0"),
    "a segment is loaded relaxed to resolve": ("SEGMENT_FIND=RELAXED", SURVIVES),
    # a table that processes share
    "a descriptor is taken from the dead relaxed": ("TAKE=RELAXED", "fixed:124:0"),
    # a filter that rotates
    "the state is loaded to acquire": ("STATE_LOAD=ACQUIRE", "rotating:4:0 rotating:9:0 rotating:12:0"),
    "the state is loaded relaxed": ("STATE_LOAD=RELAXED", "rotating:9:0"),
    "the state is exchanged acquiring and releasing": ("STATE_EXCHANGE=ACQ_REL STATE_FAILURE=ACQUIRE", "rotating:4:0 rotating:9:0 rotating:12:0"),
    "the state is exchanged relaxed": ("STATE_EXCHANGE=RELAXED STATE_FAILURE=RELAXED", "rotating:9:0"),
    "the stripes of a pass are relaxed": ("PASS=RELAXED", SURVIVES),
    # a table that doubles, and a second one
    "the root is loaded to acquire": ("ROOT_LOAD=ACQUIRE", "several:4:0"),
    "the root is loaded relaxed": ("ROOT_LOAD=RELAXED", "several:1:0 several:4:0 several:5:0 doubling:1:0 doubling:2:0"),
    "the root is exchanged acquiring and releasing": ("ROOT_EXCHANGE=ACQ_REL ROOT_FAILURE=ACQUIRE", "several:4:0"),
    "the root is exchanged relaxed": ("ROOT_EXCHANGE=RELAXED ROOT_FAILURE=RELAXED", "several:1:0 several:5:0 doubling:1:0 doubling:2:0"),
    "a block is added relaxed": ("BLOCK_ADD=RELAXED", "several:3:0 doubling:2:0"),
    "a block is found relaxed": ("BLOCK_GET=RELAXED", "several:3:0 doubling:2:0"),
    "the address below is stored relaxed": ("BELOW_STORE=RELAXED", SURVIVES),
    "the address below is loaded relaxed": ("BELOW_LOAD=RELAXED", SURVIVES),
    "the cursor is loaded relaxed": ("CURSOR_LOAD=RELAXED", SURVIVES),
    "the cursor is moved relaxed": ("CURSOR_MOVE=RELAXED", "doubling:3:1"),
    "the cursor is moved to acquire": ("CURSOR_MOVE=ACQUIRE", "doubling:3:0"),
    "the cursor is moved to release": ("CURSOR_MOVE=RELEASE", SURVIVES),
    "the cursor is loaded relaxed and moved to release": ("CURSOR_LOAD=RELAXED CURSOR_MOVE=RELEASE", "doubling:3:0"),
    "words of levels are exchanged acquiring and releasing": ("ADD=ACQ_REL", "doubling:14:0"),
    "words of levels are loaded to acquire": ("WORD_LOAD=ACQUIRE", "doubling:14:0"),
    "the witness of a table that doubles is loaded to acquire": ("WITNESS=ACQUIRE", "doubling:12:0 doubling:13:0"),
    # rules, to check that the clients can fail
    "no bump": ("NO_BUMP", "fixed:10:0 fixed:10:1"),
    "no bump of a twin": ("NO_TWIN", "fixed:61:0"),
    "no look at the source": ("NO_ARRIVAL", "fixed:10:1"),
    "no rule of who wins": ("NO_RULE", "fixed:48:0"),
    "an abort is trusted before the word is written back": ("TRUST_ABORTS", "fixed:40:0"),
    "an abort is trusted before the word is written back, in a table that doubles": ("TRUST_ABORTS", "doubling:12:0"),
    "a recovery settles no words": ("NO_SETTLEMENT", "fixed:120:0"),
    "no soil": ("NO_SOIL", "rotating:4:0 rotating:4:1"),
    "an emptying asks for no permission": ("NO_PERMIT", "rotating:5:0 rotating:5:1"),
    "other tables are not asked, in a rotation": ("NO_OTHER_TABLES", "rotating:6:0 rotating:7:0 rotating:7:1"),
    "other tables are not asked": ("NO_OTHER_TABLES", "several:5:0 several:7:0 several:7:1"),
    "a parent need not be gone": ("NO_PARENT", "doubling:11:0 doubling:11:1"),
    "a split does not freeze its word": ("NO_FREEZE", "doubling:5:0 doubling:6:0 doubling:8:0"),
    "a split word is gone before its children are there": ("GONE_FIRST", "doubling:3:0 doubling:4:0 doubling:10:0"),
    "the root moves on before all words are gone": ("EARLY_ROOT", "doubling:3:0 doubling:7:0"),
    "a writer that meets a split aborts it": ("ABORT_SPLITS", "doubling:9:0 doubling:9:1"),
    "no look at the source, in a table that doubles": ("NO_ARRIVAL", "doubling:8:1"),
    "no bump, in a table that doubles": ("NO_BUMP", "doubling:8:1 doubling:9:1 doubling:10:1"),
    "no bump of a twin, in a table that doubles": ("NO_TWIN", "doubling:15:0"),
    "an admission does not go down to the children of its witness": ("NO_DESCENT", "doubling:12:0 doubling:13:0"),
}

# All weakest orderings, together.
WEAKEST = "THAW=RELEASE CONTROL_AGAIN=RELAXED CONTROL_OF_OWNER=RELAXED SOURCE_LOAD=ACQUIRE SPLIT_CAS " \
    "WORD_FAILURE=RELAXED DECISION_FAILURE=RELAXED PAIR_TO_INSERT=RELAXED SCAN_BEGIN=RELAXED"

# The seconds above which a client is left out if all clients of a program run with a weaker
# ordering.
QUICK = 10


def clients():
    """All runs: program, client, and the bucket that lookups read first."""
    found = []
    for program in PROGRAMS:
        text = (HERE / f"{program}.c").read_text()
        parts = re.split(r"#(?:el)?if IS\((\d+)\)", text.split("#include", 1)[0])[1:]
        for number, body in zip(parts[::2], parts[1::2]):
            found += [f"{program}:{number}:{first}" for first in ([0, 1] if "FIRST" in body else [0])]
    return found


def defines(changes):
    orderings, others = dict(ORDERINGS), []
    for change in changes.split():
        name, _, value = change.partition("=")
        if name in orderings:
            orderings[name] = value.replace("FENCE", "atomic_thread_fence(ACQUIRE)")
        else:
            others.append(f"-D{change}")
    # GenMC passes them to a shell.
    return [f"-D{name}={shlex.quote(value)}" for name, value in orderings.items()] + others


def run(client, changes="", model="rc11", seconds=60):
    """The verdict about one run: passed, FAILED, or why there is none; executions and seconds."""
    program, number, first = client.split(":")
    command = ["nice", "-n", "19", GENMC, f"--{model}", "--disable-estimation", "--", "-w",
               f"-DCLIENT={number}", f"-DFIRST={first}", *defines(changes), str(HERE / f"{program}.c")]
    began = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return client, "TOO LONG", 0, 0, seconds, ""
    text = done.stdout + done.stderr

    def number_after(words):
        match = re.search(words + r": (\d+)", text)
        return int(match[1]) if match else 0

    complete, blocked = number_after("complete executions explored"), number_after("blocked executions seen")
    why = re.search(r"(Assertion violation|Non-Atomic race|Error|.*[rR]ace).*", text)
    if re.search(r"Error: |Error detected|violation|race", text):
        verdict = "FAILED"
    elif complete:
        verdict = "passed"
    else:
        verdict, why = "BROKEN", re.search(r"(?s).*", text[-2000:])
    return client, verdict, complete, blocked, time.monotonic() - began, why[0] if why else ""


def in_parallel(tasks, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from (future.result() for future in concurrent.futures.as_completed([pool.submit(*task) for task in tasks]))


def run_clients(names, options, late_is_wrong=True):
    failed = executions = count = 0
    for client, verdict, complete, blocked, took, why in in_parallel(
            [(run, name, options.define, options.model, options.seconds) for name in names], options.jobs):
        print(f"{client:>14} {verdict:8} {complete:>9} executions, {blocked} cut, {took:.1f} s {why}", flush=True)
        count, executions = count + 1, executions + complete
        failed += verdict != "passed" and (late_is_wrong or verdict != "TOO LONG")
    print(f"genmc: {count} clients, {failed} failed, {executions} executions ({options.model})")
    return failed


def run_weaker(names, options):
    """Each weaker ordering with the clients that catch it, or with the quick ones of the programs that it is in."""
    wrong = 0
    for name in names:
        changes, catchers = WEAKER[name]
        catchers = catchers.split() if catchers else []
        if catchers and not options.everything:
            tried, limit = catchers, options.seconds
        elif options.long or options.everything or options.names:
            tried, limit = in_programs_of(changes), QUICK
        else:
            continue
        results = list(in_parallel([(run, client, changes, options.model, limit) for client in tried], options.jobs))
        by = {verdict: sorted(r[0] for r in results if r[1] == verdict) for verdict in ("FAILED", "passed", "BROKEN", "TOO LONG")}
        missed = sorted(set(catchers) - set(by["FAILED"]))
        as_said = not by["BROKEN"] and not missed and (catchers or not by["FAILED"])
        wrong += not as_said
        outcome = f"caught by {' '.join(by['FAILED'])}" if by["FAILED"] else f"survives {len(by['passed'])} clients"
        missed = f", not by {' '.join(missed)}" if missed else ""
        late = f", {len(by['TOO LONG'])} took too long" if by["TOO LONG"] else ""
        broken = f", BROKEN: {' '.join(by['BROKEN'])}" if by["BROKEN"] else ""
        print(f"{'' if as_said else 'NOT AS SAID: '}{name} [{changes}]: {outcome}{missed}{late}{broken}", flush=True)
    return wrong


def in_programs_of(changes):
    """The clients of the programs whose text has one of these words, directly or by protocol.h."""
    words = [change.partition("=")[0] for change in changes.split()]
    shared = (HERE / "protocol.h").read_text()
    texts = {program: (HERE / f"{program}.c").read_text() for program in PROGRAMS}
    chosen = [p for p in PROGRAMS if any(word in texts[p] or word in shared for word in words)]
    return [client for client in clients() if client.split(":")[0] in chosen]


def select(names, every):
    chosen = [client for client in every for name in names if client == name or client.startswith(f"{name}:")]
    unknown = [name for name in names if not any(c == name or c.startswith(f"{name}:") for c in every)]
    if unknown:
        sys.exit(f"no such clients: {' '.join(unknown)}")
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["clients", "weaker", "weakest", "list"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--long", action="store_true", help="the long selection")
    parser.add_argument("--everything", action="store_true", help="weaker: with all quick clients, not only those that must fail")
    parser.add_argument("--model", default="rc11", help="rc11, imm or tso")
    parser.add_argument("--seconds", type=int, default=0, help="limit of one run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--define", default="", help="changes to make, as in the table of weaker orderings")
    options = parser.parse_args()
    options.seconds = options.seconds or (3600 if options.long else 600)
    every = clients()
    if options.what == "list":
        print("\n".join(every + [""] + list(WEAKER)))
        return
    if not GENMC or not shutil.which(GENMC):
        print("genmc: SKIPPED, genmc is not installed")
        return
    catching = dict.fromkeys(client for _, catchers in WEAKER.values() if catchers for client in catchers.split())
    wrong = 0
    if options.what in (None, "clients"):
        chosen = select(options.names, every) if options.names else every if options.long else list(catching)
        wrong += run_clients(chosen, options)
    if options.what in (None, "weaker"):
        wrong += run_weaker(options.names or WEAKER, options)
    if options.what == "weakest" or (options.long and not options.what):
        options.define, options.seconds = f"{options.define} {WEAKEST}", QUICK
        wrong += run_clients([client for client in every if client.startswith("fixed:")], options, late_is_wrong=False)
    if wrong:
        sys.exit(f"genmc: FAILED, {wrong} of the runs")


if __name__ == "__main__":
    main()

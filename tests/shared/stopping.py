"""Looks a token up by examples/read_shared.py, while a hop of it goes on before any load.

    stopping.py EXAMPLES FIRST STEPS HASH..

FIRST has the memory before the hop, and STEPS the memory after each step, one behind the other.
"""

import sys

examples, first, steps, *hashes = sys.argv[1:]
sys.path.insert(0, examples)

from read_shared import SharedFilter  # noqa: E402


class Stopping:
    """Memory that changes before one of its loads."""

    def __init__(self, before, after, load):
        self.memory, self.after, self.left = before, after, load

    def __getitem__(self, at):
        if not self.left:
            self.memory = self.after
        self.left -= 1
        assert self.left > -50, "it begins again for ever"
        return self.memory[at]


with open(first, "rb") as file:
    shared = SharedFilter(file)
with open(steps, "rb") as file:
    data = memoryview(file.read()).cast("Q")
size = len(shared.memory)
memory = [data[at:at + size] for at in range(0, len(data), size)]
stops = 0
for hash in hashes:
    for end in range(1, len(memory)):
        for begin in range(end):
            load, left = 0, -1
            while left < 0:  # as long as there are loads
                shared.memory = Stopping(memory[begin], memory[end], load)
                found = shared.contains(int(hash, 16))
                left, load, stops = shared.memory.left, load + 1, stops + 1
                assert found, f"missed: load {load}, from step {begin} to step {end}"
print(stops)

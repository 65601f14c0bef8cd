"""The sequence in redis-py's pipelines, which are transactions unless told otherwise, and in those of its asyncio."""

import asyncio
import json
import sys

import redis
import redis.asyncio

port = int(sys.argv[1])
with open(sys.argv[2]) as file:
    sequence = json.load(file)


def plain(reply):
    """A reply as it is in the sequence."""
    if isinstance(reply, redis.ResponseError):
        return {"error": str(reply)}
    if isinstance(reply, list):
        return [plain(part) for part in reply]
    if isinstance(reply, bytes):
        return reply.decode()
    return int(reply) if isinstance(reply, bool) else reply


def check(how, replies):
    assert len(replies) == len(sequence), f"{how}: {len(replies)} replies"
    for (words, expected), reply in zip(sequence, replies):
        found = plain(reply)
        # The texts of errors have the command before or behind them.
        fits = expected["error"] in found["error"] if isinstance(expected, dict) else found == expected
        assert fits, f"{how}: {words}: {reply!r} instead of {expected!r}"


def queued(pipeline):
    for words, _ in sequence:
        pipeline.execute_command(*words)
    return pipeline


async def asynchronous(protocol):
    async with redis.asyncio.Redis(port=port, protocol=protocol) as client:
        for options in ({}, {"transaction": False}):
            async with client.pipeline(**options) as pipeline:
                check(f"asyncio, {options}", await queued(pipeline).execute(raise_on_error=False))


for protocol in (2, 3):
    with redis.Redis(port=port, protocol=protocol) as client:
        for options in ({}, {"transaction": False}):
            with client.pipeline(**options) as pipeline:
                check(f"redis-py, {options}", queued(pipeline).execute(raise_on_error=False))
    asyncio.run(asynchronous(protocol))

print("all as expected")

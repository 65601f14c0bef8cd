"""Every CF command by way of redis-py's own methods, in both versions of the protocol."""

import sys

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

port, password = int(sys.argv[1]), sys.argv[2]


def check(found, expected):
    assert found == expected, f"{found!r} instead of {expected!r}"


for protocol in (2, 3):
    client = redis.Redis(port=port, password=password, protocol=protocol, client_name="test")
    cuckoo = client.cf()
    key = f"filter{protocol}"
    assert client.ping()
    check(cuckoo.create(key, 1000, expansion=2, bucket_size=2, max_iterations=20), True)
    check(cuckoo.add(key, "a"), 1)
    check(cuckoo.addnx(key, "a"), 0)
    check(cuckoo.addnx(key, "b"), 1)
    check(cuckoo.insert(key, ["c", "d"], capacity=1000), [1, 1])
    check(cuckoo.insertnx(key, ["c", "e"], nocreate=True), [0, 1])
    check(cuckoo.exists(key, "a"), 1)
    check(cuckoo.exists(key, "z"), 0)
    check(cuckoo.mexists(key, "a", "z"), [1, 0])
    check(cuckoo.count(key, "a"), 1)
    check(cuckoo.delete(key, "a"), 1)
    check(cuckoo.delete(key, "a"), 0)
    # An object with names of its own for the older version, the names of the server for the newer.
    info = cuckoo.info(key)
    check(info.insertedNum if protocol == 2 else info[b"Number of items inserted"], 4)
    check(info.deletedNum if protocol == 2 else info[b"Number of items deleted"], 1)

    # As its documentation shows: dump the filter, and restore it.
    chunks, iterator = [], 0
    while True:
        iterator, data = cuckoo.scandump(key, iterator)
        if iterator == 0:
            break
        chunks.append((iterator, data))
    check(client.delete(key), 1)
    for iterator, data in chunks:
        check(cuckoo.loadchunk(key, iterator, data) in (True, b"OK", "OK"), True)
    check(cuckoo.mexists(key, "b", "c", "a"), [1, 1, 0])

    # A window: the client's own methods have all of it but the commands that RedisBloom lacks.
    check(client.execute_command("CF.RESERVE", f"window{protocol}", 1000, "WINDOW", 0.5), True)
    check(cuckoo.addnx(f"window{protocol}", "nonce"), 1)
    check(cuckoo.addnx(f"window{protocol}", "nonce"), 0)
    check(client.execute_command("CF.REFRESH", f"window{protocol}", "nonce", "other"), [0, 1])
    info = cuckoo.info(f"window{protocol}")
    check(info.insertedNum if protocol == 2 else info[b"Number of generations"], 2)
    while cuckoo.exists(f"window{protocol}", "nonce"):
        pass
    check(cuckoo.addnx(f"window{protocol}", "nonce"), 1)

    check("cf.add" in client.command(), True)
    check(list(client.scan_iter(match=key)), [key.encode()])

    # List connections, and close one of them.
    other = redis.Redis(port=port, password=password, single_connection_client=True, client_name="other")
    [listed] = [one for one in client.client_list() if one["name"] == "other"]
    check(int(listed["id"]), other.client_id())
    check(client.client_info()["name"], "test")
    check(client.client_kill_filter(_id=listed["id"]), 1)
    check([one for one in client.client_list() if one["id"] == listed["id"]], [])

    # A pipeline, and one with an error in the middle.
    pipeline = client.pipeline(transaction=False)
    for item in range(1000):
        pipeline.execute_command("CF.ADD", key, item)
    check(pipeline.execute(), [1] * 1000)
    # Its pipelines are transactions by default.
    pipeline = client.pipeline()
    for item in range(1000, 2000):
        pipeline.execute_command("CF.ADD", key, item)
    check(pipeline.execute(), [1] * 1000)
    check(cuckoo.count(key, 1000), 1)
    pipeline = client.pipeline()
    pipeline.execute_command("CF.ADD", key, "not added")
    pipeline.execute_command("CF.ADD", key)
    try:
        pipeline.execute()
    except redis.ResponseError:
        pass
    else:
        raise AssertionError("no error of EXEC")
    check(cuckoo.exists(key, "not added"), 0)
    with client.pipeline() as pipeline:
        pipeline.watch(key)
        cuckoo.add(key, "meanwhile")
        pipeline.multi()
        pipeline.execute_command("CF.ADD", key, "too late")
        try:
            pipeline.execute()
        except redis.WatchError:
            pass
        else:
            raise AssertionError("no WatchError")
    check(cuckoo.exists(key, "too late"), 0)
    for name, arguments in [
        ("no such filter", ("CF.DEL", "none", "a")),
        ("no such command", ("CF.NONSENSE", key)),
        ("wrong number", ("CF.ADD", key)),
    ]:
        try:
            client.execute_command(*arguments)
        except redis.ResponseError:
            pass
        else:
            raise AssertionError(f"{name}: no error")

try:
    # Without this, it tries a wrong password ten times.
    redis.Redis(port=port, password="wrong", retry=Retry(NoBackoff(), 0)).ping()
except redis.AuthenticationError:
    pass
else:
    raise AssertionError("a wrong password opened the door")

print("all as documented")

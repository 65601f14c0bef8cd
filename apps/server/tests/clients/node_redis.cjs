// node-redis: runs the sequence in its transactions, and in the pipelines that it makes of
// simultaneous commands.

const { createClient } = require("redis");
const { check, port, sequence } = require("./check.cjs");

async function main() {
  for (const RESP of [2, 3]) {
    const client = await createClient({ socket: { host: "127.0.0.1", port }, RESP }).connect();
    const queue = client.multi();
    for (const [words] of sequence) queue.sendCommand(words);
    // One error among the replies rejects all of them; the error contains them.
    const replies = await queue.exec().catch((error) => error.replies ?? Promise.reject(error));
    check(`node-redis, multi, RESP${RESP}`, replies);
    const sent = sequence.map(([words]) => client.sendCommand(words));
    const settled = await Promise.allSettled(sent);
    check(`node-redis, pipeline, RESP${RESP}`, settled.map(({ value, reason }) => reason ?? value));
    await client.close();
  }
  console.log("all as expected");
}

main();

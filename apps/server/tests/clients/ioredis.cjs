// ioredis: runs the sequence in its transactions and in its pipelines.

const { Redis } = require("ioredis");
const { check, port, sequence } = require("./check.cjs");

async function main() {
  const client = new Redis({ port });
  for (const how of ["multi", "pipeline"]) {
    const queue = client[how]();
    for (const [words] of sequence) queue.call(...words);
    const replies = await queue.exec();
    check(`ioredis, ${how}`, replies.map(([error, reply]) => error ?? reply));
  }
  await client.quit();
  console.log("all as expected");
}

main();

// Checks: compare the replies of the clients for Node with the sequence.

const assert = require("node:assert");
const fs = require("node:fs");

const sequence = JSON.parse(fs.readFileSync(process.argv[3], "utf8"));

// Converts a reply to its form in the sequence.
function plain(reply) {
  if (reply instanceof Error) return { error: reply.message };
  if (Array.isArray(reply)) return reply.map(plain);
  return typeof reply === "boolean" ? Number(reply) : reply;
}

function check(how, replies) {
  assert.strictEqual(replies.length, sequence.length, how);
  sequence.forEach(([words, expected], index) => {
    const found = plain(replies[index]);
    const what = `${how}: ${words}: ${JSON.stringify(found)}`;
    if (expected.error) assert.ok(found.error?.includes(expected.error), what);
    else assert.deepStrictEqual(found, expected, what);
  });
}

module.exports = { check, port: Number(process.argv[2]), sequence };

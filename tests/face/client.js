// A program that knows node-postgres and the schema handfast, and nothing else of us.
// node client.js FOLDER-WITH-PG ADDRESS
const { Client } = require(require("path").join(process.argv[2], "node_modules", "pg"));

async function main() {
  const client = new Client({ connectionString: process.argv[3] });
  await client.connect();
  const one = async (text, values) => (await client.query(text, values)).rows[0];

  await client.query("BEGIN");
  const made = await one(
    "SELECT * FROM handfast.enqueue(kind => $1, key => $2, payload => $3, lane => $4)",
    ["client.ship", "node-1", { order: 1 }, "clients"],
  );
  await client.query("COMMIT");

  await client.query("BEGIN");
  await client.query("SELECT * FROM handfast.enqueue($1, $2)", ["client.ship", "node-undone"]);
  await client.query("ROLLBACK");

  const again = await one("SELECT * FROM handfast.enqueue($1, $2)", ["client.ship", "node-1"]);
  const many = await client.query(
    "SELECT ordinal, state FROM handfast.enqueue_many($1, $2, $3, due_at => $4)",
    ["client.later", ["node-2", "node-3"], ['{"n": 2}', '{"n": 3}'], ["2100-01-01Z", "2100-01-02Z"]],
  );
  const waiting = await one("SELECT state, payload, attempts FROM handfast.jobs WHERE id = $1", [made.id]);

  const held = await one("SELECT * FROM handfast.claim($1, lease => $2)", [["clients"], "1 minute"]);
  const done = await one("SELECT handfast.finish($1, $2, $3) AS done", [held.id, held.token, { ok: true }]);
  const late = await one("SELECT handfast.finish($1, $2) AS done", [held.id, held.token]);
  const ended = await one("SELECT state, result FROM handfast.jobs WHERE kind = $1 AND key = $2", [
    "client.ship",
    "node-1",
  ]);
  const keys = await client.query("SELECT key FROM handfast.jobs WHERE key LIKE $1 ORDER BY key", ["node-%"]);
  await client.end();

  console.log(
    JSON.stringify({
      created: made.created,
      again: [again.created, again.id === made.id],
      many: many.rows.map((row) => row.state),
      waiting: [waiting.state, waiting.payload, waiting.attempts],
      held: [held.id === made.id, held.key],
      done: [done.done, late.done],
      ended: [ended.state, ended.result],
      keys: keys.rows.map((row) => row.key),
    }),
  );
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});

// pnpm attacks [--project FOLDER] [NUMBER...]: attacks a built hooklet (this one, or another checkout) as strangers did (root, Linux).
// Ends with a table, and with 1 if any attack still works. The numbers are those of docs/hardening.md.
import path from "node:path";
import { parseArgs } from "node:util";
import { Agent } from "./attacks/agent.mjs";
import { isFenced, runFenced } from "./attacks/fence.mjs";
import { ATTACKS } from "./attacks/table.mjs";
import { tellHelp } from "./help.mjs";
import { root } from "./pnpm.mjs";

tellHelp(import.meta.url);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { project: { type: "string", default: root } },
});
if (process.getuid() !== 0) throw new Error("attacks are run as root, who has something to lose");
if (!isFenced()) process.exit(runFenced());
const chosen = ATTACKS.filter(({ number }) => positionals.length === 0 || positionals.includes(String(number)));
const rows = [];
for (const { number, name, attack } of chosen) {
  const agent = new Agent(path.resolve(values.project));
  try {
    rows.push({ number, attack: name, got: (await attack(agent)) ?? "nothing" });
  } catch (error) {
    rows.push({ number, attack: name, got: `not tried: ${error.message}` });
  } finally {
    await agent.end();
  }
  console.error(Object.values(rows.at(-1)).join(" | "));
}
console.table(rows);
process.exit(rows.some(({ got }) => got !== "nothing") ? 1 : 0);

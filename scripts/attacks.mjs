// pnpm attacks [--project FOLDER] [--runtime cri [--endpoint unix://...]] [NUMBER...]: attacks a built hooklet (this one, or another
// checkout) as strangers did (root, Linux), on the runtime `process`, on a containerd of their own, or on a runtime that is there and
// has docker.io/library/busybox:1 (CRI-O). Ends with a table, and with 1 if any attack still works. What works on the same runtime
// without hooklet as well has a table of its own. The numbers are those of docs/explanation/hardening.md.
import path from "node:path";
import { parseArgs } from "node:util";
import { Agent } from "./attacks/agent.mjs";
import { ALSO_ON_CRI, CRI_ATTACKS, startContainerd, stopContainerd } from "./attacks/cri.mjs";
import { isFenced, runFenced } from "./attacks/fence.mjs";
import { EXEC_URL_ATTACK, HOSTILE_ATTACKS } from "./attacks/hostile.mjs";
import { POD_ATTACKS } from "./attacks/pods.mjs";
import { ATTACKS } from "./attacks/table.mjs";
import { tellHelp } from "./help.mjs";
import { root } from "./pnpm.mjs";

tellHelp(import.meta.url);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    project: { type: "string", default: root },
    runtime: { type: "string", default: "process" },
    endpoint: { type: "string" },
  },
});
if (process.getuid() !== 0) throw new Error("attacks are run as root, who has something to lose");
if (!["process", "cri"].includes(values.runtime))
  throw new Error(`--runtime ${values.runtime}: expected process or cri; leave it out for process`);
if (!isFenced()) process.exit(runFenced());

const onProcess = [...ATTACKS, ...POD_ATTACKS, ...HOSTILE_ATTACKS];
const onCri = [...onProcess.filter(({ number }) => ALSO_ON_CRI.includes(number)), ...CRI_ATTACKS, EXEC_URL_ATTACK];
const chosen = (values.runtime === "cri" ? onCri : onProcess)
  .filter(({ number }) => positionals.length === 0 || positionals.includes(String(number)))
  .toSorted((a, b) => a.number - b.number);
const rows = [];
const ofRuntime = [];
try {
  const endpoint = values.runtime === "cri" ? (values.endpoint ?? startContainerd()) : undefined;
  for (const { number, name, attack, withoutHooklet } of chosen) {
    const agent = new Agent(path.resolve(values.project), endpoint);
    const row = { number, attack: name };
    try {
      row.got = (await attack(agent)) ?? "nothing";
      const without = row.got === "nothing" || endpoint === undefined ? undefined : await withoutHooklet?.(agent);
      if (without !== undefined) row.withoutHooklet = without;
    } catch (error) {
      row.got = `not tried: ${error.message}`;
    } finally {
      await agent.end();
    }
    ("withoutHooklet" in row ? ofRuntime : rows).push(row);
    console.error(Object.values(row).join(" | "));
  }
} finally {
  if (values.runtime === "cri" && values.endpoint === undefined) stopContainerd();
}
console.table(rows);
if (ofRuntime.length > 0) {
  console.log("Of the runtime itself: these work on this containerd and runc without hooklet too");
  console.table(ofRuntime);
}
process.exit(rows.some(({ got }) => got !== "nothing") ? 1 : 0);

/** A real root dir whose files are damaged while no agent runs: the next one starts, and containers are neither lost nor doubled. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until, Workplace } from "./agent.js";
import { damages } from "./damages.js";

/** Files that are damaged before each start; 1 shows what each damage does alone. */
const AT_ONCE = Number(process.env.HOOKLET_DAMAGES_AT_ONCE ?? 100);
/** Starts; HOOKLET_DAMAGES_ROUNDS=1000 for each damage of each file. */
const ROUNDS = Number(process.env.HOOKLET_DAMAGES_ROUNDS ?? 5);
/** Part of what is damaged how, as `FILE: DAMAGE`. */
const ONLY = new RegExp(process.env.HOOKLET_DAMAGES ?? "");
const RUNNING = ["one", "two", "three", "applied"];

/** What the containers themselves made, what is no file of the state, and the lock, which has its own test. */
const NOT_STATE =
  /^(logs|lock$|pods\/[^/]+\/volumes|.*\.sock$|runtime-process\/(trash|empty)|runtime-process\/containers\/[^/]+\/(root|upper|work)|.*corrupt-)/;
/** Whose loss or damage the containers of it do not outlive: nobody would know what they are. */
const COSTS_CONTAINERS = /^runtime-process\/(containers\/ID\/(state|pids)|sandboxes\/ID\/state)$/;
/** What is checked when it is read: damage of it has to be told, with its name. */
const TOLD = /^(state\/.*|api-.*|runtime-process\/(containers\/ID|sandboxes\/ID)\/state|cpu_manager_state)$/;

/** Root reads what nobody may read. An empty object is, in the kubelet's own file of CPUs, one that a policy without any has left. */
const SILENT: ReadonlySet<string> = new Set(["gone", "mode 000"]);

let place: Workplace;
let outside: string;
const mark = `damaged-${process.pid}-`;

beforeAll(async () => {
  place = await Workplace.create();
  outside = path.join(place.folder, "outside");
  const cpus = availableParallelism() > 1 && process.getuid?.() === 0;
  const rc = {
    node: { evictionHard: {}, ...(cpus && { reservedSystemCPUs: "0" }) },
    plugins: [
      ["devices", {}],
      ["cgroups", cpus ? { cpuManagerPolicy: "static" } : {}],
    ],
  };
  await writeFile(path.join(place.folder, "rc.json"), JSON.stringify(rc));
  await place.manifest("one.yaml", pod("one", { readinessProbe: { exec: { command: ["true"] }, periodSeconds: 1 } }));
  await place.manifest("two.yaml", pod("two", { volumeMounts: [{ name: "data", mountPath: "/data" }] }));
  await place.manifest("three.yaml", pod("three", cpus ? { resources: { limits: { cpu: "1", memory: "64Mi" } } } : {}));
  await place.manifest("done.yaml", pod("done", {}, "exit 0"));
  await place.manifest("crash.yaml", pod("crash", {}, "sleep 2; exit 3"));
});

afterAll(() => place.remove(), 120_000);

function pod(name: string, more: object, script = "while :; do echo .; sleep 0.3; done"): string {
  const command = ["sh", "-c", `trap 'exit 0' TERM; : ${mark}${name}; ${script}`];
  const spec = {
    restartPolicy: name === "done" ? "Never" : "Always",
    terminationGracePeriodSeconds: 1,
    volumes: [{ name: "data", emptyDir: {} }],
    containers: [{ name: "main", image: "host", command, ...more }],
  };
  return JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec });
}

const start = (): Promise<void> =>
  place.start("--config", path.join(place.folder, "rc.json"), "--node-name", "node", "--log-level", "info");

async function apply(): Promise<void> {
  const file = path.join(place.folder, "applied.json");
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "map" }, data: { key: "value" } };
  const envFrom = { envFrom: [{ configMapRef: { name: "map" } }] };
  await writeFile(file, `${JSON.stringify(map)}\n---\n${pod("applied", envFrom)}`);
  const { code, stderr } = await place.hooklet("apply", "-f", file);
  if (code !== 0) throw new Error(stderr);
}

/** Pids of the containers' own processes, by pod. */
function processes(): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, string[]> = Object.fromEntries(RUNNING.map((name) => [name, []]));
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const [, name = ""] = new RegExp(`\\0[^\\0]*${mark}(\\w+);[^\\0]*\\0$`).exec(quietly(`/proc/${pid}/cmdline`)) ?? [];
    const isSetUp = /inner-|shim-/.test(quietly(`/proc/${pid}/cmdline`));
    if (!isSetUp) found[name]?.push(pid);
  }
  return found;
}

function quietly(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}

const roleOf = (file: string): string =>
  file
    .replaceAll(/[0-9a-f]{64}/g, "ID")
    .replaceAll(/[0-9a-f-]{32,36}/g, "UID")
    .replace(/[0-9a-f]{8}$/, "ID");

/** All files that are the agent's own, by what they are. */
function stateFiles(): ReadonlyMap<string, readonly string[]> {
  const roles = new Map<string, string[]>();
  for (const file of filesBelow("")) roles.set(roleOf(file), [...(roles.get(roleOf(file)) ?? []), file]);
  return roles;
}

function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(path.join(place.rootDir, folder), { withFileTypes: true });
  return entries
    .map((entry) => ({ entry, file: path.join(folder, entry.name) }))
    .filter(({ file }) => !NOT_STATE.test(file))
    .flatMap(({ entry, file }) => (entry.isDirectory() ? filesBelow(file) : entry.isFile() ? [file] : []))
    .sort();
}

/** Name of the pod that a file of a container or sandbox is about. */
function podOf(file: string): string | undefined {
  const [folder] = /^runtime-process\/(containers|sandboxes)\/[0-9a-f]{64}/.exec(file) ?? [];
  if (folder === undefined) return undefined;
  const text = quietly(path.join(place.rootDir, folder, "state"));
  return (
    /"io\.kubernetes\.pod\.name":"(\w+)/.exec(text)?.[1] ??
    /"namespace":"default","uid":"[^"]*"|"name":"(\w+)/.exec(text)?.[1]
  );
}

test("whatever a state file has become, the agent starts, tells it, follows no link, and neither loses nor doubles a container", async () => {
  await start();
  await apply();
  const settled = async (): Promise<boolean> => {
    const pods = await place.pods();
    const runs = RUNNING.every((name) => {
      const found = pods.find(({ metadata }) => metadata.name.startsWith(name));
      return found?.status.containerStatuses?.[0]?.state.running !== undefined;
    });
    return runs && Object.values(processes()).every(({ length }) => length === 1);
  };
  await until("all run", settled);
  await until("done has ended", async () => (await place.pod("done"))?.status.phase === "Succeeded");
  const findings: string[] = [];
  const names = Object.keys(damages);
  const seen = new Set<string>();
  const jobs = (): readonly (readonly [role: string, damage: string])[] =>
    [...stateFiles().keys()].flatMap((role) =>
      names.flatMap((name) => {
        const job = `${role}: ${name}`;
        return seen.has(job) || !ONLY.test(job) ? [] : [[role, name] as const];
      }),
    );
  for (let round = 0; round < ROUNDS; round++) {
    await place.kill();
    const files = stateFiles();
    const chosen = new Map<string, string>();
    const all = jobs();
    for (let at = 0; at < all.length && chosen.size < AT_ONCE; at++) {
      // Each file another damage than its neighbour's, so that no round is all of one kind.
      const [role, name] = all[at] as (typeof all)[number];
      const turn = names[([...files.keys()].indexOf(role) + round * 5) % names.length];
      if (chosen.has(role) || (AT_ONCE > 1 && name !== turn && all.some(([r, n]) => r === role && n === turn)))
        continue;
      chosen.set(role, name);
    }
    if (chosen.size === 0) break;
    const before = processes();
    const costs = new Set<string>();
    const done: { readonly job: string; readonly file: string; readonly role: string; readonly name: string }[] = [];
    for (const [role, name] of chosen) {
      const some = files.get(role) ?? [];
      const file = some[(round * 3 + done.length) % some.length] as string;
      seen.add(`${role}: ${name}`);
      if (COSTS_CONTAINERS.test(role)) costs.add(podOf(file) ?? "");
      if (role.startsWith("api-pods")) costs.add("applied");
      done.push({ job: `${role}: ${name}`, file, role, name });
    }
    writeFileSync(outside, readFileSync(path.join(place.rootDir, done.at(-1)?.file ?? "")), { mode: 0o640 });
    const stamp = JSON.stringify([statSync(outside).mtimeMs, statSync(outside).mode, readFileSync(outside, "latin1")]);
    for (const { file, name } of done) damages[name]?.(path.join(place.rootDir, file), outside);
    const said = place.output.length;
    const label = AT_ONCE > 1 ? `round ${round}` : done.map(({ job }) => job).join(", ");
    try {
      await start();
    } catch (error) {
      findings.push(`${label}: no start: ${String(error).slice(0, 200)} ${place.output.slice(said, said + 600)}`);
      for (const { file } of done) rmSync(path.join(place.rootDir, file), { recursive: true, force: true });
      await start();
    }
    if (
      costs.has("applied") ||
      (await place.pod("applied")) === undefined ||
      done.some(({ role }) => role.startsWith("api-objects"))
    ) {
      await until(
        "the API's",
        async () =>
          apply().then(
            () => true,
            () => false,
          ),
        10,
      ).catch((error) => findings.push(`${label}: ${String(error)}`));
    }
    try {
      await until("all run again", settled, 90);
    } catch {
      const pods = (await place.pods()).map(
        (one) => `${one.metadata.name} ${JSON.stringify(one.status.containerStatuses?.[0]?.state)}`,
      );
      findings.push(`${label}: do not run again: ${JSON.stringify(processes())} ${pods.join("; ").slice(0, 1500)}`);
    }
    const after = processes();
    for (const name of RUNNING) {
      if (!costs.has(name) && before[name]?.join() !== after[name]?.join())
        findings.push(`${label}: ${name} was ${before[name]?.join()}, is ${after[name]?.join()}`);
    }
    if (JSON.stringify([statSync(outside).mtimeMs, statSync(outside).mode, readFileSync(outside, "latin1")]) !== stamp)
      findings.push(`${label}: the file outside was written to`);
    const words = place.output.slice(said);
    for (const { job, file, role, name } of done) {
      // Whole, but of another content: a plugin says so in words of its own, or goes on with what it understands.
      const isOther = role.startsWith("state/plugins") && name.endsWith("right checksum");
      const isEmptyState = role === "cpu_manager_state" && name === "an empty object";
      if (!TOLD.test(role) || SILENT.has(name) || isOther || isEmptyState) continue;
      const key = /[0-9a-f]{64}|[0-9a-f-]{36}/.exec(file)?.[0] ?? file;
      if (!words.includes(key)) findings.push(`${job}: not told`);
    }
    if (/UnforeseenError|unforeseen/i.test(words))
      findings.push(`${label}: unforeseen: ${/.*unforeseen.*/i.exec(words)?.[0]}`);
    if (process.env.HOOKLET_DAMAGES_VERBOSE) {
      const told = words.split("\n").filter((line) => /WARN|ERROR/.test(line) && !/BackOff|MissingCluster/.test(line));
      process.stderr.write(
        `${round} ${label}: ${done.map(({ job }) => job).join(", ")}\n${told.map((line) => `    ${line.slice(0, 260)}\n`).join("")}`,
      );
      for (const finding of findings.splice(0)) process.stderr.write(`  !! ${finding}\n`);
    }
  }
  expect(findings).toEqual([]);
  if (AT_ONCE > 1 && process.env.HOOKLET_DAMAGES === undefined)
    expect(seen.size).toBeGreaterThan(Math.min(ROUNDS, 10) * 20);
}, 3_600_000);

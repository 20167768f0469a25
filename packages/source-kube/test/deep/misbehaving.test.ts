/** The whole agent against an API server that misbehaves over real HTTP: nothing is lost, done twice or stuck. Its own time is virtual. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aContainer, startTestAgent, type TestAgent } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { createKubePlugin } from "../../src/plugin.js";
import { FakeCluster } from "../fake-cluster.js";
import { type Misfortune, ServedCluster } from "../real/served-cluster.js";

jest.setTimeout(300_000);

let cluster: FakeCluster;
let server: ServedCluster;
let agent: TestAgent;
let folder: string;

type Status = { phase?: string; conditions?: { type: string; status: string }[] };
const statusOf = (name: string): Status => (cluster.pod(name)?.status ?? {}) as Status;
const ready = (name: string) => statusOf(name).conditions?.find(({ type }) => type === "Ready")?.status === "True";
const spec = (more: object = {}) => ({
  containers: [aContainer({ name: "main", image: "web:1" })],
  terminationGracePeriodSeconds: 2,
  ...more,
});
const names = ["a", "b", "c", "d", "e"];

beforeEach(async () => {
  cluster = new FakeCluster();
  server = new ServedCluster(cluster);
  await server.start();
  folder = await mkdtemp(join(tmpdir(), "hooklet-kube-"));
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(
    kubeconfig,
    JSON.stringify({
      "current-context": "x",
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server: server.url } }],
      users: [{ name: "u", user: { token: "t" } }],
    }),
  );
  agent = await startTestAgent({ plugins: [[createKubePlugin({ random: () => 0.5 }), { kubeconfig }]] });
});

afterEach(async () => {
  server.misfortune = () => undefined;
  await agent.stop();
  await server.stop();
  await rm(folder, { recursive: true });
});

/** Virtual time goes on while real bytes are under way: some twenty times as fast. */
async function until(what: string, holds: () => boolean, virtualSeconds = 600): Promise<void> {
  for (let at = 0; at < virtualSeconds * 10; at += 1) {
    if (holds()) return;
    await agent.advance(100);
    await new Promise((resolve) => setTimeout(resolve, 4));
  }
  throw new Error(`in vain: ${what}`);
}

async function sandboxes(): Promise<readonly string[]> {
  return (await agent.runtime.listSandboxes()).map(({ metadata }) => metadata.name).sort();
}

/** Pods come, one ends by itself, one goes, whatever happens to the requests; then all is reported. */
async function live(): Promise<void> {
  for (const name of names) cluster.addPod(name, spec(name === "c" ? { restartPolicy: "Never" } : {}));
  await until("the pods run", () => names.every(ready));
  agent.runtime.exit("c", "main", 0);
  cluster.askToGo("e", 2);
  await until("the end of c is told", () => statusOf("c").phase === "Succeeded");
  await until("e is gone", () => cluster.pod("e") === undefined);
  cluster.addPod("f", spec());
  await until("f runs", () => ready("f"));
  expect(await sandboxes()).toEqual(["a", "b", "c", "d", "f"]);
  expect(["a", "b", "d", "f"].every(ready)).toBe(true);
}

/** Every third request, from the second on. */
function often(bad: Misfortune): (method: string, path: string) => Misfortune | undefined {
  let count = 0;
  return () => {
    count += 1;
    return count % 3 === 2 ? bad : undefined;
  };
}

test.each<{ name: string; bad: Misfortune }>([
  { name: "answers late", bad: { kind: "late", milliseconds: 100 } },
  { name: "is overwhelmed: 429 with Retry-After", bad: { kind: "status", code: 429, headers: { "retry-after": "1" } } },
  { name: "fails: 500", bad: { kind: "status", code: 500 } },
  { name: "is not ready: 503 without a word", bad: { kind: "status", code: 503 } },
  { name: "knows no token for a moment: 401", bad: { kind: "status", code: 401 } },
  { name: "breaks connections", bad: { kind: "hangUp" } },
  { name: "does what it is asked and loses the answer", bad: { kind: "lostAnswer" } },
  { name: "ends answers in the middle", bad: { kind: "halfJson" } },
])("a server that $name", async ({ bad }) => {
  server.misfortune = often(bad);
  await live();
});

test("watches that break in the middle of an event begin again where nothing is missed", async () => {
  let on = true;
  const cutting = (async () => {
    while (on) {
      await new Promise((resolve) => setTimeout(resolve, 60));
      server.cutStreams();
    }
  })();
  await live().finally(() => {
    on = false;
  });
  await cutting;
});

test("all of it at once, in any order", async () => {
  const kinds: readonly (Misfortune | undefined)[] = [
    { kind: "late", milliseconds: 50 },
    { kind: "status", code: 429, headers: { "retry-after": "1" } },
    undefined,
    { kind: "status", code: 500 },
    { kind: "lostAnswer" },
    undefined,
    { kind: "halfJson" },
    { kind: "hangUp" },
    undefined,
  ];
  // A linear congruence: the same on every machine.
  let seed = 42;
  server.misfortune = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return kinds[seed % kinds.length];
  };
  await live();
});

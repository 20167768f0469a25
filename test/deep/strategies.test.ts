/**
 * The strategies of examples/strategies that decide about victims, ranking and devices: in `simulate`, in `compare`, and on a live node,
 * with the same manifests.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { root } from "../sources.js";
import { binary, until, type V1Pod, Workplace } from "../support/agent.js";
import { PluginProcess } from "../support/device-node.js";

const LIMIT = 300_000;
const folder = path.join(root, "examples/scenarios");
const scenario = path.join(folder, "house-rules.yaml");

interface Scenario {
  readonly config: { readonly plugins: readonly (readonly [string, Readonly<Record<string, unknown>>])[] };
  readonly timeline: readonly { readonly apply?: { readonly file: string } }[];
}

const { config, timeline } = parse(readFileSync(scenario, "utf8")) as Scenario;
const manifests = timeline.flatMap(({ apply }) => (apply === undefined ? [] : [path.join(folder, apply.file)]));

const POINTS = [
  ["preemption", "victims", /victims=kubelet: cache preempted/, /victims=\{"use.*: report preempted/],
  ["eviction", "ranking", /ranking=kubelet: ledger evicted/, /ranking=\{"use.*: cache evicted/],
  [
    "devices",
    "allocation",
    /allocation=kubelet: train main gets .*gpu-0/,
    /allocation=\{"use.*: train main gets .*gpu-1/,
  ],
] as const;

test.each(POINTS)(
  "compare shows what a custom %s (%s) makes different",
  async (plugin, point, theirs, ours) => {
    const own = config.plugins.find(([name]) => name === plugin)?.[1][point];
    const sets = ["kubelet", JSON.stringify(own)].flatMap((value) => ["--set", `plugins.${plugin}.${point}=${value}`]);
    const { stdout } = await promisify(execFile)(binary, ["compare", scenario, ...sets]);
    expect(stdout).toMatch(theirs);
    expect(stdout).toMatch(ours);
  },
  LIMIT,
);

describe("on a live node", () => {
  let place: Workplace;
  let demo: PluginProcess | undefined;

  /** The scenario's own plugins; paths start at the rc file here. */
  async function start(eviction: object = {}): Promise<void> {
    const plugins = JSON.parse(JSON.stringify(config.plugins).replaceAll('"../', `"${path.dirname(folder)}/`));
    for (const [name, options] of plugins) if (name === "eviction") Object.assign(options, eviction);
    const node = { name: "node", capacity: { cpu: "2", memory: "4Gi" }, evictionHard: {} };
    const rc = path.join(place.folder, "rc.json");
    await writeFile(rc, JSON.stringify({ node, plugins }));
    await place.start("--config", rc);
  }

  async function said(...args: readonly string[]): Promise<string> {
    const { stdout, stderr, code } = await place.hooklet(...args);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  }

  const apply = (name: string): Promise<string> =>
    said("apply", "-f", manifests.find((file) => file.endsWith(`/${name}.yaml`)) ?? name);

  const find = async (name: string): Promise<V1Pod | undefined> =>
    (await place.pods()).find(({ metadata }) => metadata.name === name);

  const reach = (name: string, phase: string, seconds?: number): Promise<void> =>
    until(`pod ${name} is ${phase}`, async () => (await find(name))?.status.phase === phase, seconds);

  const decided = async (pod: string): Promise<string> => said("explain", "pod", pod, "-o", "json");

  beforeAll(async () => {
    place = await Workplace.create();
    await start();
    const devices = path.join(place.rootDir, "device-plugins");
    await mkdir(devices, { recursive: true, mode: 0o750 });
    const numa = ["gpu-0,numa=0", "gpu-1,numa=0", "gpu-2,numa=1"].flatMap((device) => ["--device", device]);
    const program = path.join(root, "examples/device-plugin/dist/main.js");
    const resource = ["--folder", devices, "--resource", "vendor.example/gpu"];
    demo = new PluginProcess(process.execPath, [program, ...resource, ...numa]);
    await demo.says("registered vendor.example/gpu");
    await until("the devices are there", async () => (await said("get", "devices")).includes("gpu-2"));
    await apply("tenants");
    for (const name of ["report", "cache", "ledger"]) await reach(name, "Running");
  }, LIMIT);

  afterAll(async () => {
    demo?.kill();
    await place?.remove();
  }, LIMIT);

  test("allocation: devices reserved for production go to no other pod while there is another", async () => {
    for (const name of ["train", "serve"]) {
      await apply(name);
      await reach(name, "Running");
    }
    const rows = JSON.parse(await said("get", "devices", "-o", "json")) as {
      readonly id: string;
      readonly pod: string;
    }[];
    expect(Object.fromEntries(rows.map(({ id, pod }) => [id, pod]))).toMatchObject({
      "gpu-0": "serve",
      "gpu-1": "train",
    });
    expect(await decided("train")).toContain("kept-devices-last.mjs");
  });

  test("victims: an expendable pod is evicted for a critical pod, whichever the kubelet would take", async () => {
    await apply("dns");
    await reach("dns", "Running");
    expect((await find("report"))?.status).toMatchObject({ phase: "Failed", reason: "Preempting" });
    expect((await find("cache"))?.status.phase).toBe("Running");
    expect(await decided("report")).toContain("expendable-first.mjs");
  });

  test(
    "ranking: when the node is short, the database goes after the cache",
    async () => {
      await place.stop();
      // Any machine uses some of its memory, so everybody who may go has to; after a while, by which the agent has taken all of them over.
      const soft = { evictionSoft: { "memory.available": "99%" } };
      await start({ ...soft, evictionSoftGracePeriod: { "memory.available": "15s" } });
      await reach("ledger", "Failed", 200);
      const events = (await said("events", "-o", "json"))
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as { reason: string; involvedObject: { name: string } });
      expect(events.filter(({ reason }) => reason === "EvictionRankingFailed")).toEqual([]);
      const gone = events.filter(({ reason }) => reason === "Evicted").map(({ involvedObject }) => involvedObject.name);
      // By the kubelet's rule ledger, which asked for less, would go first. Those with devices are back when their plugin is: no order.
      expect(gone.filter((name) => ["cache", "ledger"].includes(name))).toEqual(["cache", "ledger"]);
      expect(await decided("cache")).toContain("keep-databases.mjs");
    },
    LIMIT,
  );
});

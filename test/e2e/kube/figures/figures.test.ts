/** hooklet and a kubelet in the same place, one after the other, with the same pods. `node scripts/kube.mjs figures` prints the table. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { until } from "../../agent.js";
import { deployment, IDLE, kubectl, Place, pod, say, there } from "../cluster.js";
import { HookletNode, KubeletNode, type NodeOptions } from "../nodes.js";
import { PodWatch, type Seen } from "./pod-watch.js";
import { containerPids, cpuSeconds, resident } from "./process.js";
import { Relay, requests } from "./wire.js";

const PODS = 110;
const CHANGING = 50;
const IDLE_SECONDS = 180;
const CONFIG_ROUNDS = 5;

type Row = Readonly<Record<string, string>>;
const table: Record<string, Row> = {};

const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

const agents = [
  { name: "hooklet", node: "worker1", make: HookletNode.create.bind(HookletNode), endpoint: there.endpoint },
  ...(there.kubelet === undefined
    ? []
    : [
        {
          name: "kubelet",
          node: "worker2",
          make: KubeletNode.create.bind(KubeletNode),
          endpoint: there.kubelet.endpoint,
        },
      ]),
];

afterAll(() => {
  const names = Object.keys(table);
  const keys = Object.keys(Object.values(table)[0] ?? {});
  say(`| | ${names.join(" | ")} |`);
  say(`|---|${names.map(() => "---").join("|")}|`);
  for (const key of keys) say(`| ${key} | ${names.map((name) => table[name]?.[key] ?? "").join(" | ")} |`);
});

describe.each(agents)("$name", ({ name, node: nodeName, make, endpoint }) => {
  test("is measured", async () => {
    const relay = await Relay.start();
    const node = await make(nodeName, { server: relay.url, maxPods: 200 } satisfies NodeOptions);
    let place: Place | undefined;
    let watch: PodWatch | undefined;
    try {
      await node.start();
      place = await Place.create(`figures-${name}`);
      watch = await PodWatch.start(place.namespace);
      await pause(15);
      const counted = async (work: () => Promise<unknown>): Promise<Counted> => {
        const before = { at: Date.now(), bytes: relay.bytes, cpu: cpuSeconds(node.pid) };
        await work();
        const at = Date.now();
        const asked = requests(nodeName, before.at, at);
        const times = [...asked.values()].reduce((sum, one) => sum + one, 0);
        const seconds = (at - before.at) / 1_000;
        return { asked, times, seconds, bytes: relay.bytes - before.bytes, cpu: cpuSeconds(node.pid) - before.cpu };
      };

      const started = await counted(async () => {
        await place?.apply(deployment("full", PODS));
        await place?.ready("app=full", PODS, 240);
        await pause(2);
      });
      const pods = [...watch.seen.values()];
      const idle = await counted(() => pause(IDLE_SECONDS));
      const rss = resident(node.pid);
      const config = await configMapTimes(place, node.rootDir);
      const gone = await counted(async () => {
        await place?.kubectl("delete", "deployment/full");
        await until("all are gone", async () => (await place?.pods("app=full"))?.length === 0, 180);
      });
      const changes = [
        ...(await changeTimes(place, watch, endpoint, 1)),
        ...(await changeTimes(place, watch, endpoint, 2)),
      ];

      table[name] = {
        [`start of ${PODS} pods: requests`]: String(started.times),
        "... bytes to and from the API server": kib(started.bytes),
        "... bound to Running at the API, median / p99": times(pods, "running"),
        "... bound to Ready at the API, median / p99": times(pods, "ready"),
        "... processor time of the agent": `${started.cpu.toFixed(2)} s`,
        [`${PODS} idle pods: requests a minute`]: ((idle.times * 60) / idle.seconds).toFixed(1),
        "... bytes a minute": kib((idle.bytes * 60) / idle.seconds),
        "... processor": `${(idle.cpu / idle.seconds).toFixed(4)} core`,
        "... resident memory": `${rss.toFixed(0)} MiB`,
        [`${CHANGING} pods end within a second: end to Failed at the API, median / p99`]: spread(changes),
        "ConfigMap changed to file in the volume, median / longest": spread(config, 1),
        [`deletion of ${PODS}: requests / until gone`]: `${gone.times} / ${gone.seconds.toFixed(1)} s`,
      };
      for (const [what, { asked }] of Object.entries({ started, idle, gone }))
        say(`${name}, ${what}: ${[...asked].map(([key, count]) => `${key} ${count}`).join(", ")}`);
      expect(pods.filter(({ ready }) => ready !== undefined)).toHaveLength(PODS);
      expect(changes).toHaveLength(2 * CHANGING);
    } finally {
      watch?.stop();
      await place?.remove();
      await node.remove();
      await relay.stop();
    }
  }, 900_000);
});

interface Counted {
  readonly asked: ReadonlyMap<string, number>;
  readonly times: number;
  readonly seconds: number;
  readonly bytes: number;
  readonly cpu: number;
}

/** From the answer to the change until the file has it, milliseconds. */
async function configMapTimes(place: Place, rootDir: string): Promise<readonly number[]> {
  const object = (value: string): object => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "config" },
    data: { value },
  });
  await place.apply(object("0"));
  const volumes = [{ name: "config", configMap: { name: "config" } }];
  await place.apply(pod("reader", { volumeMounts: [{ name: "config", mountPath: "/config" }] }, { volumes }));
  await place.kubectl("wait", "--for=condition=Ready", "pod/reader", "--timeout=60s");
  const uid = (await place.pod("reader"))?.metadata.uid ?? "";
  const file = path.join(rootDir, "pods", uid, "volumes/kubernetes.io~configmap/config/value");
  const measured: number[] = [];
  for (let round = 1; round <= CONFIG_ROUNDS; round += 1) {
    await place.apply(object(String(round)));
    const began = performance.now();
    while (!existsSync(file) || readFileSync(file, "utf8") !== String(round)) {
      if (performance.now() - began > 180_000) throw new Error(`${file} has not changed in 3 min`);
      await pause(0.002);
    }
    measured.push(performance.now() - began);
  }
  expect(await place.kubectl("exec", "reader", "--", "cat", "/config/value")).toBe(String(CONFIG_ROUNDS));
  await place.kubectl("delete", "pod", "reader", "--wait=false");
  return measured;
}

/** From the kill of a container until the API says that its pod has failed, milliseconds. */
async function changeTimes(place: Place, watch: PodWatch, endpoint: string, round: number): Promise<readonly number[]> {
  const names = Array.from({ length: CHANGING }, (_, i) => `ends-${round}-${i}`);
  const spec = { restartPolicy: "Never" };
  await place.apply(...names.map((name) => pod(name, { command: ["sh", "-c", IDLE] }, spec)));
  await until("all run", async () => names.every((name) => watch.seen.get(name)?.ready !== undefined), 120);
  await pause(3);
  const pids = containerPids(endpoint);
  const ids = new Map(
    (await place.pods()).map((one) => [one.metadata.name, one.status.containerStatuses?.[0]?.containerID]),
  );
  const killed = new Map<string, number>();
  for (const name of names) {
    const pid = pids.get(ids.get(name)?.replace(/^.*:\/\//, "") ?? "");
    if (pid === undefined) throw new Error(`${name} has no process`);
    killed.set(name, Date.now());
    process.kill(pid, "SIGKILL");
    await pause(1 / CHANGING);
  }
  await until("all have ended", async () => names.every((name) => watch.seen.get(name)?.ended !== undefined), 120);
  await kubectl("delete", "pods", "-n", place.namespace, ...names, "--wait=false");
  await until("they are gone", async () => (await place.pods()).length === 0, 120);
  return names.map((name) => (watch.seen.get(name)?.ended ?? Number.NaN) - (killed.get(name) ?? Number.NaN));
}

function times(pods: readonly Seen[], what: "running" | "ready"): string {
  return spread(pods.map((one) => (one[what] ?? Number.NaN) - (one.bound ?? Number.NaN)));
}

/** Median and the share that is asked for, of milliseconds. */
function spread(values: readonly number[], share = 0.99): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
  const shown = (value: number): string =>
    value < 10_000 ? `${value.toFixed(0)} ms` : `${(value / 1_000).toFixed(1)} s`;
  return `${shown(at(0.5))} / ${shown(at(share))}`;
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(bytes < 102_400 ? 1 : 0)} KiB`;
}

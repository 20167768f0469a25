/** hooklet and a kubelet in the same place, one after the other, with the same pods. `node scripts/kube.mjs figures` prints the table. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { until } from "../../../support/agent.js";
import { deployment, Place, pod, say, there } from "../cluster.js";
import { HookletNode, KubeletNode, type NodeOptions } from "../nodes.js";
import { PodWatch, type Seen } from "./pod-watch.js";
import { cpuSeconds, resident } from "./process.js";
import { Answers, readinessOf } from "./readiness-changes.js";
import { spread } from "./spread.js";
import { CHANGING, changesOf } from "./status-changes.js";
import { Relay, requests } from "./wire.js";

const PODS = 110;
const IDLE_SECONDS = 60;
/** As many as there are in this time, milliseconds; one at least. */
const CONFIG_ROUNDS = 5;
const CONFIG_TIME = 40_000;

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
  /** With a node of its own that asks the API server through a relay. */
  const measured = async (work: (on: On) => Promise<Row>): Promise<void> => {
    const relay = await Relay.start();
    const node = await make(nodeName, { server: relay.url, maxPods: 200 } satisfies NodeOptions);
    let place: Place | undefined;
    let watch: PodWatch | undefined;
    try {
      await node.start();
      place = await Place.create(`figures-${name}`);
      watch = await PodWatch.start(place.namespace);
      await pause(15);
      const row = await work({ relay, node, place, watch });
      say(`${name}: load ${readFileSync("/proc/loadavg", "utf8").trim()}`);
      table[name] = { ...table[name], ...row };
    } finally {
      watch?.stop();
      await place?.remove();
      await node.remove();
      await relay.stop();
    }
  };

  test(
    "runs many pods",
    () =>
      measured(async ({ relay, node, place, watch }) => {
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
          await place.apply(deployment("full", PODS));
          await place.ready("app=full", PODS, 240);
          await pause(2);
        });
        const pods = [...watch.seen.values()];
        const idle = await counted(() => pause(IDLE_SECONDS));
        const rss = resident(node.pid);
        const config = await configMapTimes(place, node.rootDir);
        const gone = await counted(async () => {
          await place.kubectl("delete", "deployment/full");
          await until("all are gone", async () => (await place.pods("app=full")).length === 0, 180);
        });
        for (const [what, { asked }] of Object.entries({ started, idle, gone }))
          say(`${name}, ${what}: ${[...asked].map(([key, count]) => `${key} ${count}`).join(", ")}`);
        expect(pods.filter(({ ready }) => ready !== undefined)).toHaveLength(PODS);
        return {
          [`start of ${PODS} pods: requests`]: String(started.times),
          "... bytes to and from the API server": kib(started.bytes),
          "... bound to Running at the API, median / p99": times(pods, "running"),
          "... bound to Ready at the API, median / p99": times(pods, "ready"),
          "... processor time of the agent": `${started.cpu.toFixed(2)} s`,
          [`${PODS} idle pods: requests a minute`]: ((idle.times * 60) / idle.seconds).toFixed(1),
          "... bytes a minute": kib((idle.bytes * 60) / idle.seconds),
          "... processor": `${(idle.cpu / idle.seconds).toFixed(4)} core`,
          "... resident memory": `${rss.toFixed(0)} MiB`,
          "ConfigMap changed to file in the volume, median / longest": spread(config, 1),
          [`deletion of ${PODS}: requests / until gone`]: `${gone.times} / ${gone.seconds.toFixed(1)} s`,
        };
      }),
    600_000,
  );

  test(
    "reports changes",
    () =>
      measured(async ({ place, watch }) => {
        const rows: Row[] = [];
        const take = (row: Row): void => {
          rows.push(row);
          // A run that is cut short has printed what it has.
          for (const [what, figure] of Object.entries(row)) say(`${name}: ${what}: ${figure}`);
        };
        await place.apply(deployment("others", PODS - CHANGING));
        const names = Array.from({ length: CHANGING }, (_, i) => `turns-${i}`);
        const answers = await Answers.start();
        try {
          await place.apply(...answers.pods(names));
          await place.ready("app=others", PODS - CHANGING, 240);
          await until("all are ready", async () => names.every((pod) => watch.seen.get(pod)?.isReady === true), 120);
          await pause(15);
          for (const within of [5, 1]) {
            const seen = await readinessOf(answers, { watch, names, within });
            take({
              [`${CHANGING} of ${PODS} pods turn unready, or ready, within ${within} s: probe's answer to the API's watch, median / p99`]:
                spread(seen),
            });
          }
          await place.kubectl("delete", "pods", ...names);
        } finally {
          await answers.stop();
        }
        await pause(5);
        for (const within of [5, 1]) {
          const changes = await changesOf({ place, watch, endpoint, node: nodeName, within });
          expect(changes.whole.filter(Number.isFinite)).toHaveLength(CHANGING);
          take({
            [`${CHANGING} pods end within ${within} s: end to Failed at the API, median / p99`]: spread(changes.whole),
            [`... (${within} s) until containerd has cleared the container away`]: spread(changes.containerd),
            [`... (${within} s) from then until the API server is asked`]: spread(changes.agent),
            [`... (${within} s) from then until a watch of the API shows it`]: spread(changes.server),
          });
        }
        return Object.assign({}, ...rows) as Row;
      }),
    600_000,
  );
});

interface On {
  readonly relay: Relay;
  readonly node: HookletNode | KubeletNode;
  readonly place: Place;
  readonly watch: PodWatch;
}

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
  const end = performance.now() + CONFIG_TIME;
  for (let round = 1; round <= CONFIG_ROUNDS && (round === 1 || performance.now() < end); round += 1) {
    await place.apply(object(String(round)));
    const began = performance.now();
    while (!existsSync(file) || readFileSync(file, "utf8") !== String(round)) {
      if (performance.now() - began > 180_000) throw new Error(`${file} has not changed in 3 min`);
      await pause(0.002);
    }
    measured.push(performance.now() - began);
  }
  expect(await place.kubectl("exec", "reader", "--", "cat", "/config/value")).toBe(String(measured.length));
  await place.kubectl("delete", "pod", "reader", "--wait=false");
  return measured;
}

function times(pods: readonly Seen[], what: "running" | "ready"): string {
  return spread(pods.map((one) => (one[what] ?? Number.NaN) - (one.bound ?? Number.NaN)));
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(bytes < 102_400 ? 1 : 0)} KiB`;
}

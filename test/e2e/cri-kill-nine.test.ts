/** The real binary on a real containerd, killed with -9 at many points of starts and stops of pods. */
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { CriRuntime, criRuntimeOptions } from "@hooklet/runtime-cri";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { pino } from "pino";
import { systemClock } from "../../packages/core/src/clock.js";
import { until, Workplace } from "./agent.js";
import { type RealRuntime, runtimes } from "./runtimes.js";

/** Kills; every one at another point of a start and of a stop. */
const POINTS = 30;
/** Milliseconds between two points: 30 of them span a whole start and stop. */
const STEP = 17;

const offer = runtimes.find(({ name }) => name === "real containerd");
if (offer?.lacking !== undefined && process.env.HOOKLET_TEST_REQUIRE) throw new Error(offer.lacking);

(offer?.lacking === undefined ? describe : describe.skip)("an agent that is killed on containerd", () => {
  let containerd: RealRuntime;
  let place: Workplace;
  let runtime: CriRuntime;

  beforeAll(async () => {
    if (offer === undefined) throw new Error("no containerd on offer");
    containerd = await offer.start("killnine");
    place = await Workplace.create();
    const { endpoint } = (containerd.rc as { options: { endpoint: string } }).options;
    const ctx = { clock: systemClock, log: pino({ level: "silent" }), rootDir: place.folder, nodeName: "test" };
    runtime = new CriRuntime(ctx, criRuntimeOptions.parse({ endpoint }), undefined);
    await writeFile(path.join(place.folder, "rc.json"), JSON.stringify({ runtime: containerd.rc }));
    await start();
  }, 90_000);

  afterAll(async () => {
    await place?.remove();
    await runtime?.close();
    await containerd?.stop();
  }, 90_000);

  const start = () => place.start("--config", path.join(place.folder, "rc.json"), "--node-name", "node");

  const manifest = (name: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  terminationGracePeriodSeconds: 2
  volumes: [{ name: lives, hostPath: { path: ${place.folder}/lives, type: DirectoryOrCreate } }]
  initContainers:
    - { name: first, image: "busybox:1.36", command: [sh, -c, "exit 0"] }
  containers:
    - name: main
      image: busybox:1.36
      command: [sh, -c, 'echo >> /lives/${name}; trap "sleep 0.2; exit 0" TERM; while :; do sleep 3600 & wait $!; done']
      volumeMounts: [{ name: lives, mountPath: /lives }]
`;

  test(
    `${POINTS} times while one pod starts and another stops: nothing is lost, doubled or left over`,
    async () => {
      await place.manifest("p0.yaml", manifest("p0"));
      await until("the first pod runs", () => settled("p0"));
      const told: string[] = [];
      for (let point = 1; point <= POINTS; point++) {
        const name = `p${point}`;
        await place.manifest(`${name}.yaml`, manifest(name));
        await place.removeManifest(`p${point - 1}.yaml`);
        await new Promise((resolve) => setTimeout(resolve, point * STEP));
        await place.kill();
        // Every fifth time the agent loses all that it wrote.
        if (point % 5 === 0) await rm(place.rootDir, { recursive: true, force: true });
        await start();
        await until(`point ${point}: only ${name} is left, and runs`, () => settled(name), 30).catch(situation);
        told.push(...(await oddities(name)).map((text) => `killed after ${point * STEP} ms: ${text}`));
      }
      expect(told).toEqual([]);
    },
    POINTS * 15_000,
  );

  /** Exactly this pod is there, ready, with one sandbox and one running main container. */
  async function settled(name: string): Promise<boolean> {
    const [pods, sandboxes] = await Promise.all([place.pods(), runtime.listSandboxes()]);
    return (
      pods.length === 1 &&
      pods[0]?.metadata.name === `${name}-node` &&
      pods[0].status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true &&
      sandboxes.filter(({ state }) => state === "SANDBOX_READY").length === 1 &&
      sandboxes.every(({ metadata }) => metadata.name === `${name}-node`)
    );
  }

  /** For whoever has to find out why. */
  async function situation(error: unknown): Promise<never> {
    const sandboxes = (await runtime.listSandboxes()).map(({ metadata, state }) => [
      metadata.name,
      metadata.attempt,
      state,
    ]);
    const containers = (await runtime.listContainers()).map(({ labels, metadata, state }) => [
      labels["io.kubernetes.pod.name"],
      metadata,
      state,
    ]);
    const pods = (await place.pods()).map(({ metadata, status }) => ({ metadata, status }));
    const text = JSON.stringify({ sandboxes, containers, pods }, null, 1);
    throw new Error(`${String(error)}\n${text}\n${place.output.slice(-3000)}`);
  }

  async function oddities(name: string): Promise<readonly string[]> {
    const containers = await runtime.listContainers();
    const running = containers.filter(({ state }) => state === "CONTAINER_RUNNING");
    const strays = containers.filter(({ labels }) => labels["io.kubernetes.pod.name"] !== `${name}-node`);
    const [pod] = await place.pods();
    const [main] = pod?.status.containerStatuses ?? [];
    const faults: string[] = [];
    if (running.length !== 1) faults.push(`${running.length} containers run, expected 1`);
    if (strays.length > 0) faults.push(`${strays.length} containers of other pods are left`);
    if (main?.containerID !== `containerd://${running[0]?.id}`) faults.push("the status names another container");
    if (main?.restartCount !== running[0]?.metadata.attempt) {
      faults.push(`${main?.restartCount} restarts are shown, it is attempt ${running[0]?.metadata.attempt}`);
    }
    return faults;
  }
});

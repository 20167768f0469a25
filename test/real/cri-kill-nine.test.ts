/** The real binary on a real containerd, killed with -9 at many points of starts and stops of pods. */
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { isRuntimeError, type Sandbox } from "@hooklet/core";
import { CriRuntime, criRuntimeOptions } from "@hooklet/runtime-cri";
import { systemClock } from "@hooklet/utils";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { pino } from "pino";
import { Containerd, describeOnContainerd } from "../../packages/runtime-cri/test/containerd.js";
import { until, Workplace } from "../support/agent.js";
import { testRuns, testSeed } from "../test-seed.mjs";

/** Kills, each at a random point of a start and of a stop. */
const POINTS = testRuns(30, 6);
/** A whole start and stop, milliseconds. */
const SPAN = 520;
/** The same points each time; HOOKLET_TEST_SEED=N or `random` for others. */
const SEED = testSeed(process.env.HOOKLET_TEST_SEED);

describeOnContainerd("an agent that is killed on containerd", () => {
  let containerd: Containerd;
  let place: Workplace;
  let runtime: CriRuntime;

  beforeAll(async () => {
    containerd = await Containerd.start("killnine");
    place = await Workplace.create();
    const { endpoint } = containerd;
    const ctx = { clock: systemClock, log: pino({ level: "silent" }), rootDir: place.folder, nodeName: "test" };
    runtime = new CriRuntime(ctx, criRuntimeOptions.parse({ endpoint }), undefined);
    await writeFile(
      path.join(place.folder, "rc.json"),
      JSON.stringify({ node: { evictionHard: {} }, runtime: { use: "cri", options: { endpoint } } }),
    );
    await start();
  }, 240_000);

  afterAll(async () => {
    await place?.remove();
    await runtime?.close();
    await containerd?.stop();
  }, 240_000);

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
    `${POINTS} times at random (seed ${SEED}) while one pod starts and another stops: nothing is lost, doubled or left over`,
    async () => {
      await place.manifest("p0.yaml", manifest("p0"));
      await until("the first pod runs", () => settled("p0"));
      const reported: string[] = [];
      const random = randomFrom(SEED);
      for (let point = 1; point <= POINTS; point++) {
        const name = `p${point}`;
        await place.manifest(`${name}.yaml`, manifest(name));
        await place.removeManifest(`p${point - 1}.yaml`);
        const delay = Math.floor(random() * SPAN);
        await new Promise((resolve) => setTimeout(resolve, delay));
        // Every seventh time containerd dies with the agent, and both come back side by side.
        const both = point % 7 === 0;
        await Promise.all([place.kill(), both && containerd.kill()]);
        // Every fifth time the agent loses all that it wrote.
        const bare = point % 5 === 0;
        if (bare) await rm(place.rootDir, { recursive: true, force: true });
        await Promise.all([start(), both && containerd.resume()]);
        const where = `seed ${SEED}, point ${point}, killed after ${delay} ms${both ? " with containerd" : ""}${bare ? ", its root dir too" : ""}`;
        await until(`${where}: only ${name} is left, and runs`, () => settled(name), 90).catch(situation);
        reported.push(...(await oddities(name)).map((text) => `${where}: ${text}`));
      }
      expect(reported).toEqual([]);
    },
    POINTS * 30_000,
  );

  /** Exactly this pod is there, ready, with one sandbox and one running main container. */
  async function settled(name: string): Promise<boolean> {
    const [pods, sandboxes] = await Promise.all([place.pods(), sandboxesNow()]);
    return (
      sandboxes !== undefined &&
      pods.length === 1 &&
      pods[0]?.metadata.name === `${name}-node` &&
      pods[0].status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true &&
      sandboxes.filter(({ state }) => state === "SANDBOX_READY").length === 1 &&
      sandboxes.every(({ metadata }) => metadata.name === `${name}-node`)
    );
  }

  /** Undefined while our own connection finds its way to a restarted containerd. */
  async function sandboxesNow(): Promise<readonly Sandbox[] | undefined> {
    return runtime.listSandboxes().catch((error: unknown) => {
      if (isRuntimeError(error, "unavailable")) return undefined;
      throw error;
    });
  }

  /** For finding out why. */
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

/** mulberry32: numbers in [0, 1), the same for a seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A pod that its source removes while it starts, at a random moment: nothing of it is left. HOOKLET_REMOVAL_TRIES says how many pods
 * are tried, 20 by default.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sleep } from "@hooklet/core";
import { type Agent, type PodSource, type SourceSink, startAgent } from "@hooklet/core/host";
import { readMounts, removeTree } from "@hooklet/linux";
import { readManifest, staticPod } from "@hooklet/manifest";
import { systemClock } from "@hooklet/utils";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { pino } from "pino";
import { testConfig } from "../../../testkit/src/test-agent/test-agent.js";
import { findByCommand } from "../../src/proc/members.js";
import { openRuntime } from "../harness.js";
import { until } from "../node.js";

const TRIES = Number(process.env.HOOKLET_REMOVAL_TRIES ?? 20);
const AT_ONCE = 4;
/** Milliseconds: a start takes about half of it. */
const LATEST = 600;

const rootDir = mkdtempSync(path.join(tmpdir(), "hooklet-removal-"));
const podLogsDir = path.join(rootDir, "pod-logs");
const runtime = openRuntime(rootDir);
const texts = new Map<string, string>();
let sink: SourceSink | undefined;
let agent: Agent;

const source: PodSource = {
  name: "file",
  start: async (reported) => {
    sink = reported;
    await deliver();
  },
  stop: async () => {},
};

async function deliver(): Promise<void> {
  const pods = await Promise.all(
    [...texts].map(([name, text]) =>
      readManifest(text, name, (pod) =>
        staticPod(pod, { source: "file", where: `/manifests/${name}`, nodeName: "node1", seen: systemClock.now() }),
      ),
    ),
  );
  sink?.desired(pods.flat());
}

const manifest = (name: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  terminationGracePeriodSeconds: 1
  volumes: [{ name: disk, emptyDir: {} }, { name: fast, emptyDir: { medium: Memory } }]
  initContainers:
    - { name: first, image: host, command: [sh, -c, "sleep 0.05; echo x >/disk/x"], volumeMounts: [{ name: disk, mountPath: /disk }] }
  containers:
    - name: a
      image: host
      command: [sh, -c, "echo y >/dev/shm/y; sleep 300 & setsid sleep 300"]
      volumeMounts: [{ name: disk, mountPath: /disk }, { name: fast, mountPath: /fast }]
    - { name: b, image: host, command: [sleep, "300"], lifecycle: { postStart: { exec: { command: [sleep, "0.05"] } } } }
`;

beforeAll(async () => {
  const node = { clusterDomain: "", podLogsDir };
  const config = {
    ...testConfig({ node, plugins: [], runtime: runtime as never }),
    rootDir,
    socket: path.join(rootDir, "hooklet.sock"),
  };
  agent = await startAgent({
    config,
    version: "0.0.0-test",
    clock: systemClock,
    log: pino({ level: "silent" }),
    runtime,
    sources: [source],
  });
});
afterAll(async () => {
  await agent.stop();
  await removeTree(rootDir);
});

/** All that could be left of pods. */
function leftovers(): object {
  const below = (folder: string): readonly string[] => {
    const at = path.join(rootDir, folder);
    return existsSync(at) ? readdirSync(at) : [];
  };
  const containers = path.join(rootDir, "runtime-process/containers");
  const cgroups = ["memory", "cpu", "pids", "freezer"].flatMap((name) => {
    const at = `/sys/fs/cgroup/${name}/hooklet`;
    return existsSync(at) ? readdirSync(at).filter((one) => uids.has(one.slice("pod".length))) : [];
  });
  return {
    pods: agent.api.pods().length,
    processes: findByCommand(containers).map(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, "utf8")),
    mounts: readMounts().filter(({ mountPoint }) => mountPoint.startsWith(`${rootDir}/`)),
    folders: ["containers", "sandboxes", "events", "trash"].flatMap((name) => below(`runtime-process/${name}`)),
    directories: below("pods"),
    cgroups,
  };
}
const nothing = { pods: 0, processes: [], mounts: [], folders: [], directories: [], cgroups: [] };
const uids = new Set<string>();

async function tryOnce(number: number): Promise<void> {
  const name = `p${number}`;
  texts.set(name, manifest(name));
  await deliver();
  for (const { metadata } of agent.api.pods()) uids.add(metadata.uid);
  await sleep(systemClock, Math.random() * LATEST);
  texts.delete(name);
  await deliver();
  const gone = (): boolean => agent.api.pods().every(({ metadata }) => !metadata.name.startsWith(`${name}-`));
  await until(`${name} should be gone`, gone);
}

test(
  `a pod that is removed while it starts leaves nothing, whatever the moment (${TRIES} tries)`,
  async () => {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < TRIES) await tryOnce(next++);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    // Folders of a pod that is gone are removed behind it.
    await until("folders should go", () => JSON.stringify(leftovers()) === JSON.stringify(nothing)).catch(
      () => undefined,
    );
    expect(leftovers()).toEqual(nothing);
    expect(uids.size).toBeGreaterThan(0);
  },
  TRIES * 5_000 + 120_000,
);

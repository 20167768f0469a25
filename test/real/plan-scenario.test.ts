/** `hooklet plan cgroups` without any node: the worked example of the QoS tree on the node of a scenario. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { root } from "../sources.js";

const BINARY = path.join(root, "packages/hooklet/bin/hooklet.js");
const LIMIT = 180_000;

const NODE = `node: { cpu: "3", memory: 8Gi, cgroup: v1 }
config: { plugins: [[cgroups, { cgroupRoot: /, qosReserved: { memory: "100%" } }]] }
timeline:
  - at: 0s
    apply:
      metadata: { name: guaranteed }
      spec:
        containers: [{ name: main, image: "app:1", resources: { limits: { cpu: "1", memory: 1Gi } } }]
  - { at: 1s, apply: { metadata: { name: besteffort }, spec: { containers: [{ name: main, image: "app:1" }] } } }
until: 10s
`;
const POD = `apiVersion: v1
kind: Pod
metadata: { name: burstable }
spec:
  containers:
    - { name: a, image: "app:1", resources: { limits: { cpu: "1", memory: 1Gi } } }
    - { name: b, image: "app:1", resources: { requests: { cpu: "1", memory: 1Gi }, limits: { cpu: "2", memory: 2Gi } } }
`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-plan-"));
  await writeFile(path.join(folder, "node.yaml"), NODE);
  await writeFile(path.join(folder, "pod.yaml"), POD);
});

afterAll(() => rm(folder, { recursive: true }));

async function plan(...more: readonly string[]) {
  const words = ["plan", "cgroups", "-f", "pod.yaml", "--scenario", "node.yaml", ...more];
  return promisify(execFile)(process.execPath, [BINARY, ...words], { cwd: folder }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  );
}

interface Decided {
  readonly outcome: string;
  readonly considered: readonly { readonly candidate: string; readonly verdict: string }[];
}

/** `cgroup/file: value`, with names in place of uids. */
async function values(...more: readonly string[]): Promise<string[]> {
  const { stdout } = await plan("-o", "json", ...more);
  return (JSON.parse(stdout) as readonly Decided[]).flatMap(({ outcome, considered }) =>
    considered.map(({ candidate, verdict }) => `${outcome.replace(/\/pod[^/]+/, "/<pod>")}/${candidate}: ${verdict}`),
  );
}

test(
  "shows what the pod would get, and the QoS classes with it",
  async () => {
    expect(await values()).toEqual(
      expect.arrayContaining([
        "/kubepods/cpu.shares: 3072",
        "/kubepods/burstable/cpu.shares: 2048",
        "/kubepods/burstable/memory.limit_in_bytes: 7516192768",
        "/kubepods/besteffort/cpu.shares: 2",
        "/kubepods/besteffort/memory.limit_in_bytes: 5368709120",
        "/kubepods/burstable/<pod>/cpu.shares: 2048",
        "/kubepods/burstable/<pod>/cpu.cfs_quota_us: 300000",
        "/kubepods/burstable/<pod>/memory.limit_in_bytes: 3221225472",
        "/kubepods/burstable/<pod>/a/cpu.shares: 1024",
        "/kubepods/burstable/<pod>/b/cpu.shares: 1024",
      ]),
    );
  },
  LIMIT,
);

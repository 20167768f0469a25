/** A root dir on a disk with little room, none, or no inodes: nothing is lost, and all goes on by itself once there is room. */
import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statfsSync, writeSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { until, Workplace } from "../support/agent.js";

const KIB = 1024;

let place: Workplace;
beforeEach(async () => {
  place = await Workplace.create();
  mkdirSync(place.rootDir);
});
afterEach(async () => {
  makeRoom();
  const { rootDir } = place;
  await place.stop();
  for (const name of await names()) await place.removeManifest(`${name}.yaml`).catch(() => undefined);
  await place.start().catch(() => undefined);
  await until("nothing runs", async () => (await place.pods()).length === 0).catch(() => undefined);
  await place.stop();
  if (canMount) execFileSync("umount", ["--lazy", rootDir]);
  await place.remove();
}, 120_000);

const canMount = process.getuid?.() === 0 && process.platform === "linux";
const onSmallDisk = canMount ? test : test.skip;

const names = async (): Promise<readonly string[]> => ["steady", "leaving", "coming"];

const manifest = (name: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 1,
      volumes: [{ name: "data", emptyDir: {} }],
      containers: [
        {
          name: "main",
          image: "host",
          command: ["sh", "-c", 'trap "exit 0" TERM; while :; do sleep 0.3; done'],
          volumeMounts: [{ name: "data", mountPath: "/data" }],
          readinessProbe: { exec: { command: ["true"] }, periodSeconds: 1 },
        },
      ],
    },
  });

/** Fills the disk until so many bytes are left; `0 inodes`: until no file can be made. */
function fill(left: number | "no inodes"): void {
  const folder = path.join(place.rootDir, "filler");
  mkdirSync(folder, { recursive: true });
  if (left === "no inodes") {
    try {
      for (let at = readdirSync(folder).length; ; at++) closeSync(openSync(path.join(folder, String(at)), "w"));
    } catch {
      return;
    }
  }
  const file = openSync(path.join(folder, "bytes"), "a");
  try {
    for (;;) {
      const { bavail, bsize } = statfsSync(place.rootDir);
      const size = Math.min(1024 * KIB, bavail * bsize - left);
      if (size <= 0) return;
      writeSync(file, Buffer.alloc(size));
    }
  } finally {
    closeSync(file);
  }
}

function makeRoom(): void {
  rmSync(path.join(place.rootDir, "filler"), { recursive: true, force: true });
}

const container = async (name: string) => (await place.pod(name))?.status.containerStatuses?.[0];

/** As systemd does, which restarts it until there is space: an agent that cannot start says why, and what to do. */
async function startOrSay(): Promise<void> {
  if (place.runs) return;
  const said = place.output.length;
  await place.start().catch(() => {
    expect(place.output.slice(said)).toMatch(/error: .*ENOSPC.*free some space/i);
  });
}

async function goesOn(steady: string | undefined): Promise<void> {
  makeRoom();
  await place.manifest("coming.yaml", manifest("coming"));
  await place.removeManifest("leaving.yaml").catch(() => undefined);
  await startOrSay();
  await until("the other runs", async () => (await container("coming"))?.ready === true, 120);
  // An agent without room cannot keep that it is ready: the next one asks its probe.
  await until("the steady one is ready", async () => (await container("steady"))?.ready === true);
  expect(await container("steady")).toMatchObject({ containerID: steady, restartCount: 0 });
  await until("the leaving one is gone", async () => (await place.pod("leaving")) === undefined);
  const files = readdirSync(path.join(place.rootDir, "runtime-process/containers"));
  expect(files.filter((name) => name.includes("corrupt"))).toEqual([]);
  expect(readFileSync("/proc/mounts", "utf8")).toContain(place.rootDir);
  expect(place.output).not.toMatch(/UnforeseenError|CorruptCheckpoint/);
}

onSmallDisk.each<[string, number | "no inodes"]>([
  ["256 KiB left", 256 * KIB],
  ["64 KiB left", 64 * KIB],
  ["no room left", 0],
  ["no inodes left", "no inodes"],
])(
  "with %s an agent starts, stops a pod and is killed; with space again the new pod runs, and nothing was lost",
  async (_name, left) => {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=32m,nr_inodes=4000,mode=755", "none", place.rootDir]);
    await place.manifest("steady.yaml", manifest("steady"));
    await place.manifest("leaving.yaml", manifest("leaving"));
    await place.start();
    await until("both run", async () => {
      const both = await Promise.all(["steady", "leaving"].map(container));
      return both.every((one) => one?.ready === true);
    });
    const steady = (await container("steady"))?.containerID;
    await place.kill();
    fill(left);
    await startOrSay();
    if (!place.runs) return goesOn(steady);
    expect((await container("steady"))?.containerID).toBe(steady);
    // What an agent gives up for its start is taken as well.
    fill(left);
    await place.manifest("coming.yaml", manifest("coming"));
    await place.removeManifest("leaving.yaml");
    await until("the one is gone", async () => (await place.pod("leaving")) === undefined);
    await until("the other is tried", async () => (await place.pod("coming")) !== undefined);
    await place.kill();
    fill(left);
    await startOrSay();
    await goesOn(steady);
  },
  400_000,
);

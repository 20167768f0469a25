/** Image garbage collection by the real binary on the process runtime, whose store lies on a small disk of its own. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until, Workplace } from "../support/agent.js";
import { fillDisk } from "../support/full-disk.js";

const run = promisify(execFile);
const MIB = 1024 ** 2;
const SIZES = [1, 5, 20, 60, 2, 5, 20, 40, 10, 3, 2, 30];
const name = (index: number): string => `example.test/blob${String(index).padStart(2, "0")}:1`;
const runs = `
apiVersion: v1
kind: Pod
metadata: { name: runs }
spec: { containers: [{ name: main, image: host, command: [sleep, "3600"] }] }
`;
const mayMount = process.platform === "linux" && process.getuid?.() === 0;

describe("image garbage collection on the process runtime", () => {
  if (!mayMount) {
    test.skip("needs root to mount a small disk", () => undefined);
    return;
  }
  let place: Workplace;
  let disk: string;
  let source: string;

  beforeAll(async () => {
    place = await Workplace.create();
    disk = await mkdtemp(path.join(tmpdir(), "hooklet-disk-"));
    source = await mkdtemp(path.join(tmpdir(), "hooklet-blobs-"));
    const file = path.join(disk, "disk");
    await run("truncate", ["-s", "250M", file]);
    await run("mkfs.ext4", ["-q", "-m", "0", file]);
    await mkdir(place.rootDir);
    await run("mount", ["-o", "loop", file, place.rootDir]);
  }, 60_000);

  afterAll(async () => {
    await run("umount", ["-l", place.rootDir]).catch(() => undefined);
    await place?.remove();
    for (const folder of [disk, source]) await rm(folder, { recursive: true, force: true });
  }, 60_000);

  async function start(options: object): Promise<void> {
    const rc = { node: { evictionHard: {} }, plugins: [["imagegc", { imageMinimumGCAge: "0s", ...options }]] };
    await writeFile(path.join(place.folder, "rc.json"), JSON.stringify(rc));
    await place.start("--config", path.join(place.folder, "rc.json"), "--node-name", "node");
  }

  async function usedPercent(): Promise<number> {
    const { blocks, bavail } = await statfs(place.rootDir);
    return 100 - Math.floor((bavail * 100) / blocks);
  }

  async function images(): Promise<readonly { readonly image: string; readonly users: string }[]> {
    const { stdout } = await place.hooklet("get", "images", "-o", "json");
    return JSON.parse(stdout);
  }

  test("a store over the high mark is freed to the low mark; what a pod uses stays", async () => {
    await start({ imageGCHighThresholdPercent: 100, imageGCLowThresholdPercent: 100 });
    for (const [index, size] of SIZES.entries()) {
      const folder = path.join(source, String(index));
      await mkdir(folder);
      await writeFile(path.join(folder, "blob"), randomBytes(size * MIB));
      const { code, stderr } = await place.hooklet("image", "import", name(index), folder);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      await rm(folder, { recursive: true });
    }
    // No program in it: the container fails to start and stays as a dead one.
    await place.manifest(
      "dead.yaml",
      `
apiVersion: v1
kind: Pod
metadata: { name: dead }
spec: { restartPolicy: Never, containers: [{ name: main, image: "${name(2)}", command: [/blob] }] }
`,
    );
    await until("the pod has ended", async () => (await place.pod("dead"))?.status.phase === "Failed");
    expect(await usedPercent()).toBeGreaterThanOrEqual(80);
    await place.stop();

    await start({ imageGCHighThresholdPercent: 80, imageGCLowThresholdPercent: 60 });
    await until("the round is over", async () => /image gc: removed \d+ images/.test(place.output)).catch((error) => {
      throw new Error(`${String(error)}\n${place.output.slice(-3000)}`);
    });
    const used = await usedPercent();
    expect(used).toBeLessThanOrEqual(60);
    const left = await images();
    expect(left.find(({ image }) => image.endsWith("blob02:1"))?.users).toBe("container default/dead-node/main");
    expect(left.length).toBeLessThan(SIZES.length);
    expect(left.length).toBeGreaterThan(2);
    // Layers are the image's alone here: what the log says by sizes is what the disk says.
    const [, sizes, measured] =
      /removed \d+ images, ([\d.]+) MiB by their sizes, ([\d.]+) MiB on disk/.exec(place.output) ?? [];
    expect(Math.abs(Number(sizes) - Number(measured))).toBeLessThan(5);
    await place.stop();
  }, 300_000);

  test("an agent starts on a disk that is full to the last byte, its own root dir too, and frees it", async () => {
    await start({ imageGCHighThresholdPercent: 100, imageGCLowThresholdPercent: 100 });
    await place.manifest("runs.yaml", runs);
    await until("the pod runs", async () => (await place.pod("runs"))?.status.phase === "Running");
    const before = (await images()).length;
    await place.kill();
    await fillDisk(place.rootDir);

    const said = place.output.length;
    await start({ imageGCHighThresholdPercent: 90, imageGCLowThresholdPercent: 90 });
    await until("the round is over", async () => /image gc: removed \d+ images/.test(place.output.slice(said))).catch(
      (error) => {
        throw new Error(`${String(error)}\n${place.output.slice(said).slice(-3000)}`);
      },
    );
    expect((await images()).length).toBeLessThan(before);
    expect((await statfs(place.rootDir)).bavail).toBeGreaterThan(0);
    expect((await place.pod("runs"))?.status.phase).toBe("Running");
    await place.stop();
  }, 300_000);
});

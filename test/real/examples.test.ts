import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { root } from "../sources.js";
import { freePort, hooklet, type Result } from "../support/agent.js";

let folder: string;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-examples-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function once(...args: readonly string[]): Promise<Result> {
  const rootDir = path.join(folder, `root-${count++}`);
  return hooklet(["run", "--once", "--port", "0", "--node-name", "here", "--root-dir", rootDir, ...args], folder);
}

describe("the examples", () => {
  test("manifests: every pod comes up or ends well", async () => {
    const examples = path.join(folder, "examples");
    for (const name of ["hookletrc.yaml", "manifests"])
      await cp(path.join(root, "examples", name), path.join(examples, name), { recursive: true });
    // On another port: they may run on this machine already.
    const web = path.join(examples, "manifests/web.yaml");
    await writeFile(web, (await readFile(web, "utf8")).replaceAll("18080", String(await freePort())));
    const { stdout, code } = await once("--config", path.join(examples, "hookletrc.yaml"));
    expect(stdout).toMatch(/^NAME\s+READY\s+STATUS\s+RESTARTS\s+AGE/);
    for (const name of ["web-here", "job-here", "pipeline-here"]) expect(stdout).toContain(name);
    expect(code).toBe(0);
  }, 180_000);

  test("trouble: a refused pod makes run --once exit with 1", async () => {
    const manifests = path.join(folder, "trouble");
    await cp(path.join(root, "examples/trouble/refused.yaml"), path.join(manifests, "refused.yaml"), {
      recursive: true,
    });
    const { stdout, code } = await once("--manifests", manifests);
    expect(stdout).toMatch(/refused-here\s+0\/1\s+NodeAffinity/);
    expect(code).toBe(1);
  }, 180_000);

  test("trouble: a pod that crashes never gets ready, and run --once gives up at its time-out", async () => {
    const manifests = path.join(folder, "crash");
    await cp(path.join(root, "examples/trouble/crash.yaml"), path.join(manifests, "crash.yaml"), { recursive: true });
    // It backs off for 10 s from its second end on, for 20 s from its third: at 20 s, whether the starts before took one second or ten.
    const { stdout, code } = await once("--manifests", manifests, "--timeout", "20");
    expect(stdout).toMatch(/crash-here\s+0\/1\s+CrashLoopBackOff/);
    expect(code).toBe(1);
  }, 180_000);

  test("plugins: a one-file plugin and a TypeScript package refuse and label pods of a real agent", async () => {
    const { stdout, stderr, code } = await once(
      "--config",
      path.join(root, "examples/plugins/hookletrc.yaml"),
      "--manifests",
      path.join(root, "test/fixtures/plugins"),
    );
    expect({ code, stderr: code === 1 ? "" : stderr }).toEqual({ code: 1, stderr: "" });
    expect(stdout).toMatch(/allowed-here\s+0\/1\s+Completed/);
    expect(stdout).toMatch(/stranger-here\s+0\/1\s+ImageNotAllowed/);
  }, 180_000);
});

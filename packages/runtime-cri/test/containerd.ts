/** A private containerd for one test file, or a loud skip where there can be none. */
import { execFile, execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { systemClock } from "@hooklet/utils";
import { describe, test } from "@jest/globals";
import { pino } from "pino";
import { CriRuntime } from "../src/cri-runtime.js";
import { criRuntimeOptions } from "../src/options.js";

const script = fileURLToPath(new URL("../../../scripts/containerd.mjs", import.meta.url));
const run = promisify(execFile);

/** Why there is no containerd here; undefined when there is one. */
export const noContainerd = lacking();

function lacking(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "a private containerd needs root on Linux";
  try {
    for (const program of ["containerd", "ctr", "runc"]) execFileSync("which", [program], { stdio: "ignore" });
    return undefined;
  } catch {
    return "containerd is not installed: node scripts/containerd.mjs install";
  }
}

/** Required in CI: there a missing containerd fails the tests instead of skipping them. */
if (noContainerd !== undefined) {
  if (process.env.HOOKLET_TEST_REQUIRE) throw new Error(`HOOKLET_TEST_REQUIRE is set, but ${noContainerd}`);
  process.stderr.write(`\n!!! tests on real containers are SKIPPED: ${noContainerd}\n`);
}

/** A group of tests on a real containerd: skipped by name where there is none. */
export function describeOnContainerd(title: string, tests: () => void): void {
  if (noContainerd === undefined) describe(title, tests);
  else describe(title, () => test.skip(`runs on a real containerd: ${noContainerd}`, () => undefined));
}

export class Containerd {
  private constructor(
    readonly name: string,
    readonly socket: string,
  ) {}

  /**
   * @param name at most 8 letters: instances of several test files run side by side
   * @param disk megabytes of a file system of its own; default: that of the machine
   */
  static async start(name: string, disk?: number): Promise<Containerd> {
    const own = disk === undefined ? [] : ["--disk", String(disk)];
    const { stdout } = await run(process.execPath, [script, "start", "--name", name, ...own]);
    return new Containerd(name, stdout.trim());
  }

  /** Images of random bytes, `name=megabytes` each. */
  async blobs(...blobs: readonly string[]): Promise<void> {
    await run(process.execPath, [script, "blobs", "--name", this.name, ...blobs]);
  }

  /** Where images and writable layers lie. */
  get root(): string {
    return path.join(path.dirname(this.socket), "root");
  }

  get endpoint(): string {
    return `unix://${this.socket}`;
  }

  /** Stops the daemon in the middle of whatever it does, without the time that starting a program takes; `kill` ends it. */
  freeze(): void {
    const pid = Number(readFileSync(path.join(path.dirname(this.socket), "containerd.pid"), "utf8"));
    process.kill(pid, "SIGSTOP");
  }

  /** kill -9 of the daemon; its containers run on. */
  async kill(): Promise<void> {
    await run(process.execPath, [script, "kill", "--name", this.name]);
  }

  async resume(): Promise<void> {
    await run(process.execPath, [script, "resume", "--name", this.name]);
  }

  async importImages(): Promise<void> {
    await run(process.execPath, [script, "images", "--name", this.name]);
  }

  async stop(): Promise<void> {
    await run(process.execPath, [script, "stop", "--name", this.name]);
  }

  /** Pulls of `host` (`docker.io`) go to this registry (`127.0.0.1:5000`) from now on. */
  async mirror(host: string, registry: string): Promise<void> {
    const folder = path.join(path.dirname(this.socket), "registries", host);
    await mkdir(folder, { recursive: true });
    const server = `http://${registry}`;
    const text = `server = "${server}"\n[host."${server}"]\n  capabilities = ["pull", "resolve"]\n`;
    await writeFile(path.join(folder, "hosts.toml"), text);
  }

  /** The newest docker archive of one of the script's images. */
  archive(image: string): string {
    const folder = path.join(path.dirname(path.dirname(this.socket)), "images");
    const [file = ""] = readdirSync(folder)
      .filter((name) => name.startsWith(`${image}-`) && name.endsWith(".tar"))
      .map((name) => path.join(folder, name))
      .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
    return file;
  }

  /** containerd's own tool, in the CRI's namespace. */
  async ctr(...args: readonly string[]): Promise<string> {
    const { stdout } = await run("ctr", ["-a", this.socket, ...(args[0] === "-n" ? [] : ["-n", "k8s.io"]), ...args]);
    return stdout;
  }
}

export function openRuntime(endpoint: string, rootDir: string, options: object = {}): CriRuntime {
  const parsed = criRuntimeOptions.parse({ endpoint, ...options });
  return new CriRuntime(
    { clock: systemClock, log: pino({ level: "silent" }), rootDir, nodeName: "node" },
    parsed,
    undefined,
  );
}

export async function temporaryFolder(): Promise<{ readonly folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), "hooklet-cri-"));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

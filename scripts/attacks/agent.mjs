// An agent of any build of hooklet in a folder of its own, and what another user of the machine sees.
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { holdsWithin, removeFolder } from "../machine.mjs";

/** An ordinary user, of no group of ours. */
export const NOBODY = 65534;

export class Agent {
  output = "";
  #child;

  /** `endpoint`: of a runtime that speaks the CRI; without it containers are processes. */
  constructor(project, endpoint) {
    this.endpoint = endpoint;
    this.binary = path.join(project, "packages/hooklet/bin/hooklet.js");
    if (!existsSync(this.binary)) throw new Error(`${this.binary}: expected a built hooklet, found none`);
    this.folder = mkdtempSync(path.join(tmpdir(), "hooklet-attack-"));
    chmodSync(this.folder, 0o755);
    this.rootDir = path.join(this.folder, "root");
    this.manifests = this.place("manifests");
  }

  /** A folder beside the agent's own. */
  place(name) {
    const made = path.join(this.folder, name);
    mkdirSync(made);
    return made;
  }

  get alive() {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  get pid() {
    return this.#child?.pid;
  }

  /** Starts it and waits until it answers; false if it ends before. */
  async start({ args = [], stdio = [], rc, env = {} } = {}) {
    this.port = await freePort();
    const flags = ["--root-dir", this.rootDir, "--manifests", this.manifests, "--port", String(this.port)];
    if (rc !== undefined || this.endpoint !== undefined) {
      const file = path.join(this.folder, "hookletrc.json");
      const runtime = this.endpoint && { use: "cri", options: { endpoint: this.endpoint } };
      // An old build logs to the machine's own folder where no other is named.
      const node = { podLogsDir: path.join(this.rootDir, "logs"), ...rc?.node };
      writeFileSync(file, JSON.stringify({ ...rc, runtime, node }));
      flags.push("--config", file);
    }
    this.#child = spawn(process.execPath, [this.binary, "run", ...flags, "--log-format", "text", ...args], {
      stdio: ["ignore", "pipe", "pipe", ...stdio],
      cwd: this.folder,
      env: { ...process.env, ...env },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream.on("data", (data) => {
        this.output += data;
      });
    await holdsWithin(120, () => !this.alive || this.hooklet("get", "pods").status === 0);
    return this.alive;
  }

  write(name, pod) {
    writeFileSync(path.join(this.manifests, `${name}.json`), this.#text(pod));
  }

  /** With an image that its runtime has. */
  #text(pod) {
    const image = this.endpoint === undefined ? "host" : "docker.io/library/busybox:1";
    return JSON.stringify({
      ...pod,
      spec: { ...pod.spec, containers: pod.spec.containers.map((container) => ({ image, ...container })) },
    });
  }

  /** By the control socket: such a pod is not critical, as those of the folder are. */
  apply(pod) {
    const file = path.join(this.folder, `${pod.metadata.name}.json`);
    writeFileSync(file, this.#text(pod));
    const { status, stderr } = this.hooklet("apply", "-f", file);
    tookPlace(status === 0, `${pod.metadata.name} was not taken: ${stderr}`);
  }

  /** A folder of the pod's on the node, as the kubelet has it. */
  volume(pod, volume) {
    return path.join(this.rootDir, "pods", pod.metadata.uid, "volumes/kubernetes.io~empty-dir", volume);
  }

  hooklet(...args) {
    return spawnSync(process.execPath, [this.binary, "--root-dir", this.rootDir, ...args], {
      encoding: "utf8",
      timeout: 60_000,
      cwd: this.folder,
    });
  }

  /** What `check` says of a manifest, and the seconds of CPU that it takes. */
  check(file) {
    const command = [process.execPath, this.binary, "check", "-f", file];
    const script = '"$@" >&2; status=$?; times; exit $status';
    const { stdout, stderr, status } = spawnSync("sh", ["-c", script, "sh", ...command], { encoding: "utf8" });
    const [, children = ""] = stdout.trim().split("\n");
    const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, m, s]) => sum + 60 * m + Number(s), 0);
    return { said: stderr, status, seconds };
  }

  /** What a descriptor of the agent leads to. */
  descriptor(number) {
    const at = `/proc/${this.pid}/fd/${number}`;
    return existsSync(at) ? readlinkSync(at) : "";
  }

  /** The pod of this name as the agent shows it. */
  pod(name) {
    const { stdout } = this.hooklet("get", "pods", "-o", "json");
    return (read(stdout)?.items ?? []).find(({ metadata }) => metadata.name.startsWith(name));
  }

  /** Reasons of all events of this pod. */
  reasons(name) {
    const events = this.hooklet("events", "-o", "json").stdout.split("\n").map(read);
    return events.filter((event) => event?.involvedObject.name.startsWith(name)).map(({ reason }) => reason);
  }

  /** Whether the agent has reported that a probe of this pod failed. */
  isUnhealthy(name) {
    return this.reasons(name).includes("Unhealthy");
  }

  /** The container's log, once it says what is waited for; else what there is after so many seconds. */
  async log(name, pattern, seconds = 15) {
    let said = "";
    await holdsWithin(seconds, () => {
      said = this.hooklet("logs", this.pod(name)?.metadata.name ?? name).stdout;
      return pattern.test(said);
    });
    return said;
  }

  /** Seconds of CPU that the agent itself has used. */
  cpu() {
    const fields = readFileSync(`/proc/${this.pid}/stat`, "utf8").split(") ")[1].split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  /** Ends it; its pods run on. */
  async leave(signal = "SIGKILL") {
    this.#child.kill(signal);
    tookPlace(await holdsWithin(60, () => !this.alive), `the agent did not end on ${signal}`);
  }

  async stop() {
    if (this.alive) {
      this.#child.kill("SIGINT");
      await holdsWithin(20, () => !this.alive);
    }
    if (this.alive) this.#child.kill("SIGKILL");
    await holdsWithin(5, () => !this.alive);
  }

  async end() {
    await this.stop();
    try {
      removeFolder(this.folder);
    } catch (error) {
      // Pods that outlive a killed agent may still write there; the fence takes the rest away.
      console.error(error.message);
    }
  }
}

/** An attack that did not take place is no defence. */
export function tookPlace(so, what) {
  if (!so) throw new Error(what);
}

/** A pod of one container that runs a shell script. */
export function pod(name, script, { container = {}, ...spec } = {}) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: "main", command: ["/bin/sh", "-c", script], ...container }],
      ...spec,
    },
  };
}

export function as(user, command, ...args) {
  return spawnSync("setpriv", [`--reuid=${user}`, `--regid=${user}`, "--clear-groups", command, ...args], {
    encoding: "utf8",
    timeout: 15_000,
  });
}

/** Files of this name that the user finds below the folders, with what is in them. */
export function findAs(user, name, ...folders) {
  return as(user, "find", ...folders, "-name", name, "-exec", "cat", "{}", ";").stdout;
}

export function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function entries(folder) {
  return existsSync(folder) ? readdirSync(folder) : [];
}

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

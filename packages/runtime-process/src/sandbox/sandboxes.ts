/** Sandboxes: a pod's name, its shared files and its cgroup. No process. */

import { randomBytes } from "node:crypto";
import { readdir, rename } from "node:fs/promises";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { errorText, type Json, type Sandbox } from "@hooklet/core";
import { RuntimeError, type SandboxConfig, type SandboxStatus } from "@hooklet/core/host";
import { decodeChecked, encodeChecked, removeTree, writeFileAtomic } from "@hooklet/linux";
import { checkCgroupPath, firstMissing, removeUpTo } from "../cgroup/hierarchies.js";
import type { Deps } from "../deps.js";
import { discard } from "../layout.js";
import { checkShape } from "../record-shape.js";
import { readState } from "../state-text.js";
import { endSandboxCgroup } from "./cgroup.js";
import { makePodFiles, mendPodFiles, mountShm, podPaths, unmountShm } from "./pod-files.js";

interface SandboxRecord {
  readonly version: 1;
  readonly id: string;
  /** Nanoseconds since the epoch, decimal. */
  readonly createdAt: string;
  readonly bootId: string;
  readonly config: SandboxConfig;
  readonly stopped: boolean;
  readonly cgroupParent: string;
  /** The highest cgroup folder that was not there before. */
  readonly cgroupMade?: string;
}

/** The parent cgroup of pods without their own. */
const OWN_CGROUP = "/hooklet";

export class Sandboxes {
  readonly #all = new Map<string, SandboxRecord>();

  constructor(readonly deps: Deps) {}

  async open(): Promise<void> {
    const { layout, clock, damaged, starter } = this.deps;
    for (const id of await readdir(layout.sandboxes)) {
      if (!/^[0-9a-f]{64}$/.test(id)) continue;
      const { folder, state } = podPaths(layout, id);
      try {
        const text = await readState(state);
        if (text === undefined) {
          await unmountShm(starter, podPaths(layout, id).shm);
          await discard(layout, folder, id);
          continue;
        }
        const record = decodeChecked(text);
        checkShape("sandbox", record, id);
        this.#all.set(id, record as unknown as SandboxRecord);
      } catch (error) {
        const aside = `${folder}.corrupt-${clock.now()}`;
        await rename(folder, aside);
        damaged(`state of sandbox ${id} is damaged (${errorText(error)}) and was renamed to ${aside}`);
      }
    }
    for (const record of this.#all.values()) if (!record.stopped) await this.#mend(record);
  }

  /** What containers cannot be started with keeps neither the agent from starting nor those that run. */
  async #mend({ id, config }: SandboxRecord): Promise<void> {
    const { log, layout } = this.deps;
    try {
      for (const path of mendPodFiles(podPaths(layout, id), config))
        log.warn({ sandbox: id }, `${path} was gone or damaged; hooklet restored it`);
      if (this.#sharesShm) await mountShm(this.deps.starter, podPaths(layout, id).shm);
    } catch (error) {
      log.error({ sandbox: id }, `a file of the sandbox is damaged and cannot be restored: ${errorText(error)}`);
    }
  }

  get #sharesShm(): boolean {
    return this.deps.isolation.mode === "root";
  }

  has(id: string): boolean {
    return this.#all.has(id);
  }

  async run(config: SandboxConfig): Promise<string> {
    checkSupported(config);
    const { uid, attempt } = config.metadata;
    const twin = [...this.#all.values()].find(
      ({ config: { metadata } }) => metadata.uid === uid && metadata.attempt === attempt,
    );
    if (twin !== undefined) {
      throw new RuntimeError("already-exists", `pod ${uid} has a sandbox of attempt ${attempt} already: ${twin.id}`);
    }
    const id = randomBytes(32).toString("hex");
    const paths = podPaths(this.deps.layout, id);
    const cgroupParent = checkCgroupPath(config.linux.cgroupParent || join(this.#ownCgroup, `pod${uid}`));
    const cgroupMade = firstMissing(this.deps.hierarchies, cgroupParent);
    const record: SandboxRecord = {
      version: 1,
      id,
      createdAt: String(BigInt(Math.floor(this.deps.clock.now())) * 1_000_000n),
      bootId: this.deps.bootId,
      config,
      stopped: false,
      cgroupParent,
      ...(cgroupMade !== undefined && { cgroupMade }),
    };
    this.#all.set(id, record);
    try {
      makePodFiles(paths, config);
      if (this.#sharesShm) await mountShm(this.deps.starter, paths.shm);
      await this.#write(record);
    } catch (error) {
      this.#all.delete(id);
      await unmountShm(this.deps.starter, paths.shm);
      await removeTree(paths.folder);
      throw error;
    }
    this.#notify(record, "CONTAINER_CREATED");
    return id;
  }

  /** Its containers have ended. Fine with an unknown or stopped one. */
  async stop(id: string): Promise<void> {
    const record = this.#all.get(id);
    if (record === undefined || record.stopped) return;
    await endSandboxCgroup(this.deps, record.cgroupParent, id);
    await unmountShm(this.deps.starter, podPaths(this.deps.layout, id).shm);
    const stopped = { ...record, stopped: true };
    // On a full disk nothing can be written, and the end of a pod frees space there: the next agent stops it once more.
    await this.#write(stopped).catch((error: unknown) =>
      this.deps.log.warn({ sandbox: id }, `that it is stopped cannot be written down: ${errorText(error)}`),
    );
    this.#all.set(id, stopped);
    this.#notify(record, "CONTAINER_STOPPED");
  }

  /** Its containers are removed. */
  async remove(id: string): Promise<void> {
    const record = this.#all.get(id);
    if (record === undefined) return;
    const { hierarchies, layout } = this.deps;
    const own = this.#ownCgroup;
    await endSandboxCgroup(this.deps, record.cgroupParent, id);
    if (record.cgroupParent.startsWith(`${own}/`)) removeUpTo(hierarchies, record.cgroupParent, own);
    else if (record.cgroupMade !== undefined) removeUpTo(hierarchies, record.cgroupParent, record.cgroupMade);
    const { folder, shm } = podPaths(layout, id);
    await unmountShm(this.deps.starter, shm);
    await discard(layout, folder, id);
    this.#all.delete(id);
    this.#notify(record, "CONTAINER_DELETED");
  }

  list(podUid?: string): Sandbox[] {
    return [...this.#all.values()]
      .filter(({ config }) => podUid === undefined || config.metadata.uid === podUid)
      .map((record) => this.#toSandbox(record));
  }

  status(id: string): SandboxStatus {
    return { ...this.#toSandbox(this.#need(id)), ips: [this.deps.nodeIp ?? nodeAddress()] };
  }

  get #ownCgroup(): string {
    return join(this.deps.cgroupRoot, OWN_CGROUP);
  }

  cgroupParent(id: string): string {
    return this.#need(id).cgroupParent;
  }

  /** Throws unless containers may be made in it. */
  checkReady(id: string): void {
    if (this.#toSandbox(this.#need(id)).state === "SANDBOX_READY") return;
    throw new RuntimeError("failed-precondition", `sandbox ${id} is not ready; containers go into a new one`);
  }

  #need(id: string): SandboxRecord {
    const record = this.#all.get(id);
    if (record !== undefined) return record;
    throw new RuntimeError("not-found", `sandbox ${id} is unknown; it was never run, or was removed`);
  }

  #toSandbox({ id, config, createdAt, stopped, bootId }: SandboxRecord): Sandbox {
    return {
      id,
      metadata: config.metadata,
      state: stopped || bootId !== this.deps.bootId ? "SANDBOX_NOTREADY" : "SANDBOX_READY",
      createdAt: BigInt(createdAt),
      labels: config.labels,
      annotations: config.annotations,
    };
  }

  #write(record: SandboxRecord): Promise<void> {
    return writeFileAtomic(podPaths(this.deps.layout, record.id).state, encodeChecked(record as unknown as Json));
  }

  #notify({ config }: SandboxRecord, type: "CONTAINER_CREATED" | "CONTAINER_STOPPED" | "CONTAINER_DELETED"): void {
    this.deps.emit({ podUid: config.metadata.uid, containerId: "", type });
  }
}

function checkSupported({ runtimeHandler, linux }: SandboxConfig): void {
  if (runtimeHandler !== "") {
    throw new RuntimeError(
      "invalid-argument",
      `no runtime handler ${runtimeHandler} is configured; leave runtimeClassName out`,
    );
  }
  const [sysctl] = Object.keys(linux.sysctls);
  if (sysctl !== undefined) {
    throw new RuntimeError(
      "unimplemented",
      `sysctl ${sysctl}: pods of the process runtime share the machine's network and IPC, so it would change the machine`,
    );
  }
}

/** Pods are on the machine's own network: its first IPv4 address that is not loopback. */
function nodeAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";
}

// Ports of a pod are ports of the machine.

/** Resolves once the port answers. Rejects with `unavailable` when nothing listens on the loopback. */
export function connectToPort(port: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "localhost", port, allowHalfOpen: true, autoSelectFamily: true });
    const refused = (cause: Error): void => {
      const why = errorText(cause) || "no process listens on it";
      reject(new RuntimeError("unavailable", `port ${port} of the pod: ${why}`, { cause }));
    };
    socket.once("error", refused);
    socket.once("connect", () => {
      socket.off("error", refused);
      resolve(socket);
    });
  });
}

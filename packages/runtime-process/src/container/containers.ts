/** All containers of this node: the one place that knows them by id. */
import { existsSync } from "node:fs";
import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { errorText } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import type { LinuxContainerResources } from "@hooklet/core/subsystem";
import { isAlive, removeTree } from "@hooklet/linux";
import type { Deps } from "../deps.js";
import { containerFiles, discard } from "../layout.js";
import { adopt, checkLost, killDamaged } from "./adopt.js";
import type { Container } from "./container.js";
import { type CreateInput, containerOf, createContainer } from "./create.js";
import { EventFolder, type FolderEvent } from "./event-folder.js";
import { finish } from "./finish.js";
import { startContainer } from "./start.js";
import { readRecord } from "./state-file.js";
import { stopContainer } from "./stop.js";

export class Containers {
  readonly #all = new Map<string, Container>();
  readonly #names = new Map<string, string>();
  readonly #events: EventFolder;

  constructor(readonly deps: Deps) {
    this.#events = new EventFolder(deps.layout.events, deps.clock, deps.log);
  }

  /** Finds every container again. `knownSandbox`: containers of other sandboxes are ended and removed. */
  async open(knownSandbox: (id: string) => boolean): Promise<void> {
    this.#events.open(
      (event) => this.#onEvent(event),
      (id) => this.#onOutput(id),
      () => this.#lookAtAll(),
    );
    const events = new Map<string, FolderEvent["what"][]>();
    for (const { id, what } of this.#events.list()) events.set(id, [...(events.get(id) ?? []), what]);
    for (const name of await readdir(this.deps.layout.containers)) {
      if (/^[0-9a-f]{64}$/.test(name)) await this.#adopt(name, events.get(name) ?? []);
    }
    for (const id of events.keys()) if (!this.#all.has(id)) await this.#removeEvents(id);
    for (const id of this.#events.outputs()) if (!this.#all.has(id)) await this.deps.outputs.remove(id);
    for (const id of this.#all.keys()) this.#onOutput(id);
    for (const container of this.list()) {
      if (knownSandbox(container.record.sandboxId)) continue;
      this.deps.log.error({ container: container.id }, "the container's sandbox is unknown: it is ended and removed");
      await this.remove(container.id).catch((error: unknown) => {
        this.deps.log.error({ container: container.id }, `the container is not removed: ${errorText(error)}`);
      });
    }
  }

  list(): Container[] {
    return [...this.#all.values()];
  }

  inSandbox(sandboxId: string): Container[] {
    return this.list().filter(({ record }) => record.sandboxId === sandboxId);
  }

  /** Throws `not-found`. */
  need(id: string): Container {
    const container = this.#all.get(id);
    if (container !== undefined) return container;
    throw new RuntimeError("not-found", `container ${id} is unknown; it was never created, or was removed`);
  }

  async create(input: CreateInput): Promise<Container> {
    const { name, attempt } = input.config.metadata;
    const key = nameKey(input.sandboxId, name, attempt);
    const holder = this.#names.get(key);
    if (holder !== undefined) {
      throw new RuntimeError(
        "already-exists",
        `sandbox ${input.sandboxId} has attempt ${attempt} of container ${name} already: ${holder || "being created"}`,
      );
    }
    this.#names.set(key, "");
    try {
      const container = await createContainer(this.deps, input);
      this.#add(container);
      this.deps.emit({ podUid: container.record.podUid, containerId: container.id, type: "CONTAINER_CREATED" });
      return container;
    } catch (error) {
      this.#names.delete(key);
      throw error;
    }
  }

  start(id: string): Promise<void> {
    const container = this.need(id);
    return startContainer(this.deps, container, () => this.#ipcSibling(container));
  }

  async stop(id: string, gracePeriodSeconds: number): Promise<void> {
    const container = this.#all.get(id);
    if (container === undefined) return;
    await stopContainer(this.deps, container, gracePeriodSeconds, () => this.#checkLost(container));
  }

  async remove(id: string): Promise<void> {
    const container = this.#all.get(id);
    if (container === undefined) return;
    await this.stop(id, 0);
    await container.cgroup?.remove(this.deps.clock);
    await this.deps.outputs.remove(id);
    await discard(this.deps.layout, container.folder, id);
    await this.#removeEvents(id);
    this.#all.delete(id);
    const { sandboxId, config, podUid } = container.record;
    this.#names.delete(nameKey(sandboxId, config.metadata.name, config.metadata.attempt));
    this.deps.emit({ podUid, containerId: id, type: "CONTAINER_DELETED" });
  }

  update(id: string, resources: LinuxContainerResources): void {
    const { cgroup } = this.need(id);
    if (cgroup === undefined) {
      throw new RuntimeError("failed-precondition", `container ${id} has no cgroup: cgroups cannot be written here`);
    }
    if (cgroup.exists) cgroup.update(resources);
  }

  /** The log was renamed. Throws `failed-precondition` for a container that does not run. */
  reopenLog(id: string): Promise<void> {
    return this.deps.outputs.reopen(this.need(id));
  }

  /** Nothing is written any more when this resolves. */
  async close(): Promise<void> {
    this.#events.close();
    await this.deps.outputs.close();
  }

  async #adopt(id: string, events: readonly FolderEvent["what"][]): Promise<void> {
    const folder = join(this.deps.layout.containers, id);
    try {
      const record = await readRecord(folder);
      if (record === undefined) {
        // One that was never quite created has no process.
        if (existsSync(containerFiles(folder).pids)) throw new Error("the file is gone");
        return await discard(this.deps.layout, folder, id);
      }
      const container = containerOf(this.deps, record);
      this.#add(container);
      await adopt(this.deps, container, events, () => this.#noted(container));
    } catch (error) {
      this.#forget(id);
      await killDamaged(this.deps, folder);
      const aside = `${folder}.corrupt-${this.deps.clock.now()}`;
      await rename(folder, aside);
      this.deps.damaged(
        `state of container ${id} is damaged (${errorText(error)}) and was renamed to ${aside}; its processes were killed`,
      );
    }
  }

  /** A running container of the pod: later ones join its IPC namespace. */
  #ipcSibling({ id, record }: Container): number | undefined {
    for (const other of this.inSandbox(record.sandboxId)) {
      if (other.id === id || other.record.ownIpc !== true || other.life.kind !== "running") continue;
      const { main } = other.life.processes;
      if (isAlive(main)) return main.pid;
    }
    return undefined;
  }

  #add(container: Container): void {
    const { sandboxId, config } = container.record;
    this.#all.set(container.id, container);
    this.#names.set(nameKey(sandboxId, config.metadata.name, config.metadata.attempt), container.id);
  }

  #forget(id: string): void {
    this.#all.delete(id);
    for (const [key, holder] of this.#names) if (holder === id) this.#names.delete(key);
  }

  #onEvent({ id, what }: FolderEvent): void {
    const container = this.#all.get(id);
    if (container === undefined) return;
    if (what === "up") container.up.set();
    if (what === "up" || what === "lost" || container.exit.isSet) return;
    container.exit.set(what);
    if (container.life.kind === "running") this.#log(container, finish(this.deps, container));
  }

  /** True when the event folder tells the end of this container. */
  #noted(container: Container): boolean {
    for (const event of this.#events.list()) if (event.id === container.id) this.#onEvent(event);
    return container.exit.isSet;
  }

  #checkLost(container: Container): Promise<void> {
    return checkLost(this.deps, container, () => this.#noted(container));
  }

  #onOutput(id: string): void {
    const container = this.#all.get(id);
    // What it writes while it starts is taken once it runs; the rest of one that has ended was taken at its end.
    if (container?.life.kind === "running") this.deps.outputs.wake(container);
  }

  /** Containers whose end or output was not reported. */
  #lookAtAll(): void {
    for (const container of this.#all.values()) {
      if (container.life.kind !== "running") continue;
      this.deps.outputs.wake(container);
      this.#log(container, this.#checkLost(container));
    }
  }

  #log(container: Container, work: Promise<void>): void {
    work.catch((error) => this.deps.log.error({ container: container.id }, errorText(error)));
  }

  async #removeEvents(id: string): Promise<void> {
    const code = this.#all.get(id)?.exit.value;
    const names =
      code === undefined ? this.#events.list().filter((event) => event.id === id) : [{ what: "up" }, { what: code }];
    await Promise.all(names.map(({ what }) => removeTree(join(this.deps.layout.events, `${id}.${what}`))));
  }
}

function nameKey(sandboxId: string, name: string, attempt: number): string {
  return `${sandboxId}/${name}/${attempt}`;
}

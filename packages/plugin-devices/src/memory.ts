/** What survives a restart of the agent: the checkpoint, and what running containers say themselves. */
import { join } from "node:path";
import { Labels, type NodeContext, type PodAdmitEvent } from "@hooklet/core";
import { CHECKPOINT_NAME, type CheckpointData, decodeCheckpoint, encodeCheckpoint } from "./checkpoint/format.js";
import type { DevicesIo, Records } from "./io.js";
import type { DeviceManager } from "./manager/device-manager.js";
import type { Folders } from "./options.js";
import { ANNOTATION, recoveredEntries } from "./recovery.js";

type Running = PodAdmitEvent["running"];

export class DeviceMemory {
  readonly #path: string;
  readonly #file: ReturnType<DevicesIo["stateFile"]>;
  readonly #records: Records = { now: () => this.manager().checkpoint() };
  #saved: Promise<unknown> = Promise.resolve();
  /** `podUid/container`, as the runtime has reported. */
  readonly #wasRunning = new Set<string>();

  constructor(
    private readonly ctx: Pick<NodeContext, "log" | "events">,
    private readonly manager: () => DeviceManager,
    folders: Folders,
    private readonly io: DevicesIo,
  ) {
    this.#path = join(folders.devicePlugins, CHECKPOINT_NAME);
    const codec = {
      encode: (records: Records) => encodeCheckpoint(records.now()),
      decode: (text: string): Records => {
        const data = decodeCheckpoint(text);
        return { now: () => data };
      },
    };
    this.#file = io.stateFile(this.#path, codec, (path, aside, why) => this.#reportDamage(path, aside, why));
  }

  /** Resolves once the records as they are now are on disk. */
  save(): Promise<void> {
    const saved = this.#file.write(this.#records);
    this.#saved = saved.catch(() => undefined);
    return saved;
  }

  /** Resolves when no write is under way. */
  async settled(): Promise<void> {
    await this.#saved;
  }

  /** The runtime reported the container as running when its pod was found. */
  wasRunning(podUid: string, container: string): boolean {
    return this.#wasRunning.has(`${podUid}/${container}`);
  }

  /** Reads the checkpoint; a damaged one is moved aside. @throws the system's error when it cannot be read */
  async restore(): Promise<void> {
    const found = await this.#file.read();
    if (found === undefined) return;
    const faults = await this.#restored(found.now());
    for (const fault of faults) this.ctx.log.error(`a record of ${this.#path} is left out: ${fault}`);
  }

  async #restored(data: CheckpointData): Promise<readonly string[]> {
    if (data.entries.length > 0) await this.io.codec.load();
    return this.manager().restore(data);
  }

  #reportDamage(path: string, aside: string | undefined, why: string): void {
    const where = aside === undefined ? "it could not be renamed" : `it was renamed to ${aside}`;
    const message = `${path} is damaged (${why}): ${where}; records are rebuilt from running containers`;
    this.ctx.log.error(message);
    this.ctx.events.node("Warning", "DeviceCheckpointCorrupt", message);
  }

  /** Running containers keep their devices, whatever the checkpoint and the plugins say. */
  async adopt(containers: Running): Promise<void> {
    for (const { state, labels, annotations } of containers) {
      const [uid, name] = [labels[Labels.podUid] ?? "", labels[Labels.containerName] ?? ""];
      if (uid === "" || name === "" || state !== "CONTAINER_RUNNING") continue;
      this.#wasRunning.add(`${uid}/${name}`);
      if (this.manager().records.ofContainer(uid, name).length > 0) continue;
      const entries = recoveredEntries(uid, name, annotations[ANNOTATION]);
      const faults = await this.#restored({ entries, registered: new Map() });
      for (const fault of faults) this.ctx.log.warn(`devices of a running container are not known: ${fault}`);
    }
  }
}

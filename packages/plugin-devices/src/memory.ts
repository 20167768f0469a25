/** What survives a restart of the agent: the checkpoint, and what running containers say themselves. */
import { join } from "node:path";
import { errorText, Labels, type NodeContext, type PodAdmitEvent } from "@hooklet/core";
import { CHECKPOINT_NAME, decodeCheckpoint, encodeCheckpoint } from "./checkpoint/format.js";
import { LatestWriter } from "./checkpoint/writer.js";
import type { Folders } from "./folders.js";
import type { DevicesIo } from "./io.js";
import type { DeviceManager } from "./manager/manager.js";
import { ANNOTATION, recoveredEntries } from "./recovery.js";

type Running = PodAdmitEvent["running"];

export class DeviceMemory {
  readonly #writer: LatestWriter;
  /** `podUid/container`, as the runtime has reported. */
  readonly #wasRunning = new Set<string>();

  constructor(
    private readonly ctx: Pick<NodeContext, "log" | "events">,
    private readonly manager: () => DeviceManager,
    private readonly folders: Folders,
    private readonly io: DevicesIo,
  ) {
    this.#writer = new LatestWriter(() => this.#write());
  }

  /** Resolves once the records as they are now are on disk. */
  save(): Promise<void> {
    return this.#writer.save();
  }

  settled(): Promise<void> {
    return this.#writer.settled();
  }

  /** The runtime reported the container as running when its pod was found. */
  wasRunning(podUid: string, container: string): boolean {
    return this.#wasRunning.has(`${podUid}/${container}`);
  }

  /** Reads the checkpoint; a damaged one is set aside. @throws the system's error when it cannot be read */
  async restore(): Promise<void> {
    const path = join(this.folders.devicePlugins, CHECKPOINT_NAME);
    const text = await this.io.readCheckpoint(path);
    if (text === undefined) return;
    try {
      const faults = this.manager().restore(decodeCheckpoint(text));
      for (const fault of faults) this.ctx.log.error(`a record of ${path} is left out: ${fault}`);
    } catch (error) {
      const aside = await this.io.setAside(path);
      const words = `${path} is damaged (${errorText(error)}): it was set aside as ${aside}; records are made anew from running containers`;
      this.ctx.log.error(words);
      this.ctx.events.node("Warning", "DeviceCheckpointCorrupt", words);
    }
  }

  /** Containers that run have their devices, whatever the checkpoint and the plugins say. */
  adopt(containers: Running): void {
    for (const { state, labels, annotations } of containers) {
      const [uid, name] = [labels[Labels.podUid] ?? "", labels[Labels.containerName] ?? ""];
      if (uid === "" || name === "" || state !== "CONTAINER_RUNNING") continue;
      this.#wasRunning.add(`${uid}/${name}`);
      if (this.manager().records.ofContainer(uid, name).length > 0) continue;
      const entries = recoveredEntries(uid, name, annotations[ANNOTATION]);
      const faults = this.manager().restore({ entries, registered: new Map() });
      for (const fault of faults) this.ctx.log.warn(`devices of a running container are not known: ${fault}`);
    }
  }

  #write(): Promise<void> {
    const { devicePlugins } = this.folders;
    const text = encodeCheckpoint(this.manager().checkpoint());
    return this.io.writeCheckpoint(join(devicePlugins, CHECKPOINT_NAME), devicePlugins, text);
  }
}

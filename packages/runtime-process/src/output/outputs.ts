/** The output of all containers on its way into their logs. */
import { closeSync, constants, fchownSync } from "node:fs";
import { join } from "node:path";
import { type Clock, errorText, type Timer } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { openOwn, removeTree } from "@hooklet/linux";
import { runTool } from "../command/spawn.js";
import type { Container } from "../container/container.js";
import type { Layout } from "../layout.js";
import type { Logger } from "../log.js";
import { openLog } from "./log-file.js";
import { type FreeBytes, OutputPump } from "./pump.js";

/** Writes that come within this time are taken together. */
const GATHER_MS = 20;
/** The rest of a container that has ended, should its log not have been writable. */
const RETRY_MS = 10_000;

export interface OutputsPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly layout: Layout;
  /** Containers run as other users than the agent's. */
  readonly asRoot: boolean;
  /** fallocate(1), where the machine has it. */
  readonly fallocate: string | undefined;
}

interface Entry {
  readonly pump: OutputPump;
  timer: Timer | undefined;
  /** A take is under way; `again`: more was written meanwhile. Takes do not queue: what rotates or ends a log waits for one at most. */
  busy: boolean;
  again: boolean;
  /** The last reported fault: a lasting fault is reported once. */
  reported: string;
}

export class Outputs {
  readonly #entries = new Map<string, Entry>();
  #closed = false;

  constructor(readonly ports: OutputsPorts) {}

  /** Makes what the container is to write to. Its user's, as runc has it: or only root could open /dev/stdout. */
  make({ id, record }: Container): void {
    const file = openOwn(this.fileOf(id), constants.O_WRONLY | constants.O_APPEND, 0o600);
    try {
      if (this.ports.asRoot) fchownSync(file, record.launch.user.uid, record.launch.user.gid);
    } finally {
      closeSync(file);
    }
  }

  /** Makes a log when it is not there. Containers that have the folder of logs mounted may have put something else in its place. */
  makeLog(path: string): void {
    closeSync(openLog(path));
  }

  fileOf(id: string): string {
    return join(this.ports.layout.events, `${id}.output`);
  }

  /** The container may have written something. */
  wake(container: Container): void {
    if (this.#closed) return;
    const entry = this.#entry(container);
    if (entry.busy) entry.again = true;
    if (entry.busy || entry.timer !== undefined) return;
    entry.timer = this.ports.clock.schedule(GATHER_MS, () => {
      entry.timer = undefined;
      void this.#take(container, entry);
    });
  }

  /**
   * No process of the container is left: what it wrote is in its log when this resolves. Where the log cannot be written (a full disk) the
   * rest stays where it is, and is tried again every 10 s until it works or the container is removed, by the next agent too.
   */
  async finish(container: Container): Promise<void> {
    if (this.#closed) return;
    const { id } = container;
    const entry = this.#entry(container);
    const worked = await this.#reported(
      container,
      entry,
      entry.pump.finish().then(() => true),
    );
    if (this.#entries.get(id) !== entry) return;
    if (worked === true) return this.#drop(id);
    entry.timer?.cancel();
    entry.timer = this.ports.clock.schedule(RETRY_MS, () => {
      entry.timer = undefined;
      void this.finish(container);
    });
  }

  async reopen(container: Container): Promise<void> {
    if (container.life.kind !== "running") {
      throw new RuntimeError(
        "failed-precondition",
        `container ${container.id} does not run: it has no log that is written to`,
      );
    }
    await this.#entry(container).pump.reopen();
  }

  async remove(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    this.#drop(id);
    await entry?.pump.idle();
    await removeTree(this.fileOf(id));
  }

  /** Later output is left to the next agent: nothing is written any more when this resolves. */
  async close(): Promise<void> {
    this.#closed = true;
    const entries = [...this.#entries];
    for (const [id] of entries) this.#drop(id);
    await Promise.all(entries.map(([, { pump }]) => pump.idle()));
  }

  async #take(container: Container, entry: Entry): Promise<void> {
    entry.busy = true;
    const more = await this.#reported(container, entry, entry.pump.take());
    entry.busy = false;
    if (this.#entries.get(container.id) !== entry || (more !== true && !entry.again)) return;
    entry.again = false;
    this.wake(container);
  }

  #entry(container: Container): Entry {
    const { id } = container;
    let entry = this.#entries.get(id);
    if (entry === undefined) {
      const { files, record } = container;
      const places = { output: this.fileOf(id), position: files.position, log: record.logPath };
      entry = { pump: new OutputPump(places, this.#free()), timer: undefined, busy: false, again: false, reported: "" };
      this.#entries.set(id, entry);
    }
    return entry;
  }

  #drop(id: string): void {
    this.#entries.get(id)?.timer?.cancel();
    this.#entries.delete(id);
  }

  /** Undefined when it failed: output that could not be copied stays where it is. A lasting fault is reported once. */
  async #reported<T>({ id }: Container, entry: Entry, work: Promise<T>): Promise<T | undefined> {
    try {
      const done = await work;
      entry.reported = "";
      return done;
    } catch (error) {
      const text = errorText(error);
      if (text !== entry.reported)
        this.ports.log.error({ container: id }, `its output is not taken into its log: ${text}`);
      entry.reported = text;
      return undefined;
    }
  }

  #free(): FreeBytes {
    const { fallocate, log } = this.ports;
    if (fallocate === undefined) return undefined;
    return async (file, length) => {
      const args = ["--punch-hole", "--offset", "0", "--length", String(length), file];
      try {
        const { exitCode, output } = await runTool(fallocate, args);
        if (exitCode === 0) return true;
        log.warn({ file }, `what is in the log already is not freed: ${output.trim()}`);
      } catch (error) {
        log.warn({ file }, `what is in the log already is not freed: ${errorText(error)}`);
      }
      return false;
    };
  }
}

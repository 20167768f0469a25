/** The output of all containers on its way into their logs. */
import { constants, openSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, errorText, type Timer } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { runTool } from "../command/spawn.js";
import type { Container } from "../container/container.js";
import type { Layout } from "../layout.js";
import type { Logger } from "../log.js";
import { type FreeBytes, OutputPump } from "./pump.js";

/** Writes that come within this time are taken together. */
const GATHER_MS = 20;

export interface OutputsPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly layout: Layout;
  /** fallocate(1), where the machine has it. */
  readonly fallocate: string | undefined;
}

interface Entry {
  readonly pump: OutputPump;
  timer: Timer | undefined;
  /** What was said of it last: a fault that lasts is told once. */
  told: string;
}

export class Outputs {
  readonly #entries = new Map<string, Entry>();
  #closed = false;

  constructor(readonly ports: OutputsPorts) {}

  /** What the container is to write to, open for appending. The caller closes it. */
  open({ id }: Container): number {
    const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
    return openSync(this.fileOf(id), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o640);
  }

  fileOf(id: string): string {
    return join(this.ports.layout.events, `${id}.output`);
  }

  /** The container may have written something. */
  wake(container: Container): void {
    const entry = this.#entry(container);
    if (this.#closed || entry.timer !== undefined) return;
    entry.timer = this.ports.clock.schedule(GATHER_MS, () => {
      entry.timer = undefined;
      if (!this.#closed) void this.#told(container, entry, entry.pump.take());
    });
  }

  /** No process of the container is left: all it wrote is in its log when this resolves. */
  async finish(container: Container): Promise<void> {
    const entry = this.#entry(container);
    await this.#told(container, entry, entry.pump.finish());
    this.#drop(container.id);
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
    this.#drop(id);
    await rm(this.fileOf(id), { force: true });
  }

  /** Output that comes from now on is left to the next agent. */
  close(): void {
    this.#closed = true;
    for (const id of [...this.#entries.keys()]) this.#drop(id);
  }

  #entry({ id, files, record }: Container): Entry {
    let entry = this.#entries.get(id);
    if (entry === undefined) {
      const places = { output: this.fileOf(id), position: files.position, log: record.logPath };
      entry = { pump: new OutputPump(places, this.#free()), timer: undefined, told: "" };
      this.#entries.set(id, entry);
    }
    return entry;
  }

  #drop(id: string): void {
    this.#entries.get(id)?.timer?.cancel();
    this.#entries.delete(id);
  }

  /** What could not be taken stays where it is and is tried again with the next that comes. */
  async #told({ id }: Container, entry: Entry, work: Promise<void>): Promise<void> {
    try {
      await work;
      entry.told = "";
    } catch (error) {
      const text = errorText(error);
      if (text !== entry.told) this.ports.log.error({ container: id }, `its output is not taken into its log: ${text}`);
      entry.told = text;
    }
  }

  #free(): FreeBytes {
    const { fallocate, log } = this.ports;
    if (fallocate === undefined) return undefined;
    return async (file, length) => {
      const args = ["--punch-hole", "--offset", "0", "--length", String(length), file];
      const { exitCode, output } = await runTool(fallocate, args);
      if (exitCode !== 0) log.warn({ file }, `what is in the log already is not freed: ${output.trim()}`);
    };
  }
}

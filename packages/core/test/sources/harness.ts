/** A sink that remembers, and waiting for what comes from outside. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pod } from "@hooklet/manifest";
import type { PodChanges, SourceFault, SourceSink } from "../../src/sources/port.js";

export class RecordingSink implements SourceSink {
  readonly provided = new Set<never>();
  /** The set after each delivery, whole or changed. */
  readonly sets: (readonly Pod[])[] = [];
  readonly changes: PodChanges[] = [];
  /** How many deliveries were of the whole set. */
  wholeSets = 0;
  readonly log: string[] = [];
  readonly open = new Map<string, string>();

  desired(pods: readonly Pod[]): void {
    this.wholeSets++;
    this.sets.push(pods);
  }

  changed(changes: PodChanges): void {
    this.changes.push(changes);
    const set = new Map(this.pods.map((pod) => [pod.metadata.uid, pod]));
    for (const { uid } of changes.removed ?? []) set.delete(uid);
    for (const pod of changes.set ?? []) set.set(pod.metadata.uid, pod);
    this.sets.push([...set.values()]);
  }

  fault({ where, message }: SourceFault): void {
    this.log.push(`fault ${where}: ${message}`);
    this.open.set(where, message);
  }

  mended(where: string): void {
    this.log.push(`mended ${where}`);
    this.open.delete(where);
  }

  reachable(): void {
    this.log.push("reachable");
  }

  get pods(): readonly Pod[] {
    return this.sets.at(-1) ?? [];
  }

  get names(): readonly string[] {
    return this.pods.map(({ metadata }) => metadata.name);
  }

  uid(name: string): string | undefined {
    return this.pods.find(({ metadata }) => metadata.name === name)?.metadata.uid;
  }
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits until it holds; fails after 90 s with what it was. */
export async function until(what: () => boolean, reported: () => unknown = () => what.toString()): Promise<void> {
  for (const end = performance.now() + 90_000; !what(); await pause(1)) {
    if (performance.now() > end) throw new Error(`did not come true: ${JSON.stringify(reported())}`);
  }
}

export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "hooklet-sources-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

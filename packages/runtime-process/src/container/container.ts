/** A container in the agent's memory. The disk and the processes themselves are the truth; this is what we saw of them. */
import { join } from "node:path";
import type { ContainerCgroup } from "../cgroup/container-cgroup.js";
import type { ContainerRecord } from "../container-record.js";
import { containerFiles } from "../layout.js";
import type { ContainerProcesses } from "../proc/members.js";

/** Something that happens once; its first value stays. */
class Signal<T> {
  readonly happened: Promise<T>;
  #value: { readonly value: T } | undefined;
  #resolve: (value: T) => void = () => {};

  constructor() {
    this.happened = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isSet(): boolean {
    return this.#value !== undefined;
  }

  get value(): T | undefined {
    return this.#value?.value;
  }

  set(value: T): void {
    if (this.#value !== undefined) return;
    this.#value = { value };
    this.#resolve(value);
  }
}

/**
 *   created -> starting -> running -> exited
 *                 \______________________/     (could not be started)
 */
export type Life =
  | { readonly kind: "created" }
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly processes: ContainerProcesses; readonly startedAt: bigint }
  | Exited;

export interface Exited {
  readonly kind: "exited";
  readonly exitCode: number;
  /** Nanoseconds since the epoch; 0 = never started. */
  readonly startedAt: bigint;
  readonly finishedAt: bigint;
  readonly reason: string;
  readonly message: string;
}

export class Container {
  life: Life = { kind: "created" };
  record: ContainerRecord;
  readonly folder: string;
  /** The set-up is done; the next step is the container's own program. */
  readonly up = new Signal<void>();
  /** The shim wrote the exit code, or all is lost (undefined). */
  readonly exit = new Signal<number | undefined>();
  /** `life` is `exited` and no process of it is left. */
  readonly ended = new Signal<void>();
  /** Number of the next claim file. */
  claims = 0;
  /** The shim is gone: no process reports the exit. */
  watched = true;
  /** Its mount namespace, for containers without a cgroup. */
  namespace: string | undefined;
  processes: ContainerProcesses | undefined;
  /** Its leftovers were killed after its end. */
  swept = false;

  constructor(
    record: ContainerRecord,
    containersFolder: string,
    readonly cgroup: ContainerCgroup | undefined,
    /** Of the pod's sandbox: where the shim is, and the set-up until it joins the container's own. */
    readonly shimCgroup: ContainerCgroup | undefined = undefined,
  ) {
    this.record = record;
    this.folder = join(containersFolder, record.id);
  }

  get id(): string {
    return this.record.id;
  }

  get files(): ReturnType<typeof containerFiles> {
    return containerFiles(this.folder);
  }
}

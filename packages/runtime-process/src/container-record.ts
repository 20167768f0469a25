import type { ContainerConfig } from "@hooklet/core/host";

/** How containers are isolated here: `root` and `user` have mount namespaces, `none` has not. */
export type IsolationMode = "root" | "user" | "none";

export interface Isolation {
  readonly mode: IsolationMode;
  readonly volatileLayers: boolean;
  /** Private PID and IPC namespaces and a private devpts are available. */
  readonly processesApart: boolean;
  /** Why it is not a better one. */
  readonly why?: string;
}

export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

/** All that is decided about a container's process when it is created. */
export interface Launch {
  readonly argv: readonly string[];
  readonly env: readonly (readonly [string, string])[];
  readonly workingDir: string;
  readonly user: ContainerUser;
  readonly stopSignal: number;
}

/** A container's state file. */
export interface ContainerRecord {
  readonly version: 1;
  readonly id: string;
  readonly sandboxId: string;
  readonly podUid: string;
  /** Nanoseconds since the epoch, decimal. */
  readonly createdAt: string;
  readonly config: ContainerConfig;
  readonly imageId: string;
  /** The image's files; undefined = image `host`. */
  readonly rootfs?: string;
  readonly mode: IsolationMode;
  /** A private PID namespace, in which its shim is the first process, with its own /proc. Missing in older records: no. */
  readonly ownPids?: boolean;
  /** An IPC namespace that is not the machine's. Missing in older records: no. */
  readonly ownIpc?: boolean;
  readonly launch: Launch;
  readonly logPath: string;
  /** cgroupfs path of the container's own cgroup, where there is one. */
  readonly cgroup?: string;
  /** It could not be started. `at`: nanoseconds since the epoch, decimal. */
  readonly startError?: { readonly message: string; readonly at: string };
}

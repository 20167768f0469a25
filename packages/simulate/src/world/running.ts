/** A container of a scenario that runs, and what it does at TERM. */
import type { ContainerRecord, SimulatedProcess } from "@hooklet/sim";

export interface Running {
  readonly id: string;
  readonly pod: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly name: string;
  readonly attempt: number;
  /** Of its pod; "" when none was made. */
  readonly cgroupParent: string;
  readonly logPath: string;
  readonly limitBytes: number | undefined;
  readonly oomScoreAdj: number;
  readonly record: ContainerRecord;
}

export function runningOf(record: ContainerRecord): Running {
  const { id, config, sandbox, resources } = record;
  const { namespace, name, uid } = sandbox.config.metadata;
  const limit = resources.memoryLimitInBytes ?? 0;
  return {
    id,
    pod: { namespace, name, uid },
    name: config.metadata.name,
    attempt: config.metadata.attempt,
    cgroupParent: sandbox.config.linux.cgroupParent,
    logPath: `${sandbox.config.logDirectory}/${config.logPath}`,
    limitBytes: limit > 0 ? limit : undefined,
    oomScoreAdj: resources.oomScoreAdj ?? 0,
    record,
  };
}

/** Ends it now. */
export function exit({ record }: Running, code: number, reason?: string): void {
  record.process?.exit(code, reason === undefined ? {} : { reason });
}

/** What a program does at TERM. */
export interface OnTerm {
  readonly code: number;
  /** Milliseconds until it ends. */
  readonly after: number;
  /** It runs on, until it is killed. */
  readonly ignored: boolean;
}

export class Terms {
  readonly #onTerm = new Map<string, OnTerm>();

  /** From now on, for all containers of this name in the pod. */
  tell(podUid: string, container: string, what: OnTerm): void {
    this.#onTerm.set(`${podUid}/${container}`, what);
  }

  /** Without `onTerm`, and unless its command says otherwise, a container handles TERM as servers do: it ends at once with 0. */
  readonly term = ({ sandbox, config }: ContainerRecord, process: SimulatedProcess): void => {
    const onTerm = this.#onTerm.get(`${sandbox.config.metadata.uid}/${config.metadata.name}`);
    if (onTerm === undefined) process.term(() => process.exit(0));
    else if (onTerm.ignored) return;
    else if (onTerm.after === 0) process.exit(onTerm.code);
    else process.after(onTerm.after, () => process.exit(onTerm.code));
  };
}

/** One pod of a trace, and the faults of a trace's lines. Pure. */

export interface TracedPod {
  readonly name: string;
  /** Seconds from the beginning. */
  readonly arrival: number;
  /** Seconds that its container runs. */
  readonly duration: number;
  /** Cores and bytes. */
  readonly cpu?: number;
  readonly memory?: number;
  readonly cpuLimit?: number;
  readonly memoryLimit?: number;
  readonly priority?: number;
  readonly image: string;
  /** Bytes of memory from so many seconds after its arrival on. */
  readonly usage: readonly { readonly after: number; readonly memory: number }[];
}

export interface TraceFault {
  /** From 1. */
  readonly line: number;
  readonly column: string;
  readonly expected: string;
  readonly found: string;
}

export interface Trace {
  readonly pods: readonly TracedPod[];
  readonly faults: readonly TraceFault[];
}

/** What reads a line's cells; undefined: the line says nothing of a pod's life. */
export interface Cells {
  text(column: string): string;
  /** 0 or more. */
  number(column: string): number | undefined;
  fault(column: string, expected: string): void;
}

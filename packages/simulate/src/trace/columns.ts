/** The columns of a trace. Pure. */

import { milliValue, parseQuantity } from "@hooklet/core/rules";
import { amount } from "../values/amounts.js";

// One pod of a trace, and the faults of a trace's lines.

export interface TracedPod {
  readonly name: string;
  /** Seconds from the beginning. */
  readonly arrival: number;
  /** Seconds that its container runs. */
  readonly duration: number;
  /** Cores and bytes. */
  readonly cpu?: number | undefined;
  readonly memory?: number | undefined;
  readonly cpuLimit?: number | undefined;
  readonly memoryLimit?: number | undefined;
  readonly priority?: number | undefined;
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
  /** 0 or more: 0 where it is missing or wrong. */
  number(column: string): number;
  fault(column: string, expected: string): void;
}

/** All others may be missing or empty. */
export const requiredColumns: readonly string[] = ["pod", "arrival", "duration"];

interface Reader {
  row(cells: Cells): void;
  pods(): readonly TracedPod[];
}

/** The reader of one trace. */
export function traceReader(): Reader {
  const pods: TracedPod[] = [];
  const quantity = (cells: Cells, column: string): number | undefined => {
    const text = cells.text(column);
    if (text === "") return undefined;
    try {
      return column.startsWith("cpu") ? milliValue(parseQuantity(text)) / 1000 : amount(text);
    } catch {
      cells.fault(column, "a quantity such as 500m or 512Mi");
      return undefined;
    }
  };
  return {
    row(cells) {
      const [arrival, duration] = [cells.number("arrival"), cells.number("duration")];
      const name = cells.text("pod");
      if (name === "") cells.fault("pod", "a name");
      const priority = cells.text("priority") === "" ? undefined : Number(cells.text("priority"));
      if (priority !== undefined && !Number.isInteger(priority)) cells.fault("priority", "a whole number");
      pods.push({
        name,
        arrival,
        duration,
        cpu: quantity(cells, "cpu"),
        memory: quantity(cells, "memory"),
        cpuLimit: quantity(cells, "cpuLimit"),
        memoryLimit: quantity(cells, "memoryLimit"),
        priority,
        image: cells.text("image") || "trace:1",
        usage: usageOf(cells),
      });
    },
    pods: () => pods,
  };
}

/** `0:100Mi 60:200Mi`, or one amount from the beginning. */
function usageOf(cells: Cells): TracedPod["usage"] {
  const text = cells.text("usage");
  if (text === "") return [];
  return text.split(/[ ;]+/).flatMap((part) => {
    const [, after = "0", memory = ""] = /^(?:(\d+(?:\.\d+)?):)?(.+)$/.exec(part) ?? [];
    try {
      return [{ after: Number(after), memory: amount(memory) }];
    } catch {
      cells.fault("usage", "amounts of memory such as 0:100Mi 60:200Mi (seconds after the arrival)");
      return [];
    }
  });
}

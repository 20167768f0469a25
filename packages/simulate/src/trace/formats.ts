/**
 * Formats of traces: hooklet's own, and the columns of two public ones. Machines of those are told as shares of their largest; what
 * that one has is assumed. Sources: Google cluster data 2019 v3 (table instance_events), Alibaba cluster trace 2018 (batch_task).
 * Pure.
 */
import { milliValue, parseQuantity } from "@hooklet/core/rules";
import { amount } from "../values/amounts.js";
import { type Cells, podName, type TracedPod } from "./row.js";

export const traceFormats = ["hooklet", "google-2019", "alibaba-2018"] as const;
export type TraceFormat = (typeof traceFormats)[number];

/** The machine of which shares are told. */
const LARGEST = { cpu: 64, memory: 256 * 1024 ** 3 };

export interface Reader {
  /** In order, for files without a header line; undefined: the first line names them. */
  readonly columns?: readonly string[];
  readonly required: readonly string[];
  row(cells: Cells): void;
  pods(): readonly TracedPod[];
}

export function readerOf(format: TraceFormat): Reader {
  switch (format) {
    case "hooklet":
      return ownReader();
    case "google-2019":
      return googleReader();
    case "alibaba-2018":
      return alibabaReader();
  }
}

function ownReader(): Reader {
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
    required: ["pod", "arrival", "duration"],
    row(cells) {
      const [arrival, duration] = [cells.number("arrival"), cells.number("duration")];
      const name = cells.text("pod");
      if (name === "") cells.fault("pod", "a name");
      const priority = cells.text("priority") === "" ? undefined : Number(cells.text("priority"));
      if (priority !== undefined && !Number.isInteger(priority)) cells.fault("priority", "a whole number");
      const fields = ["cpu", "memory", "cpuLimit", "memoryLimit"] as const;
      const amounts = Object.fromEntries(
        fields.flatMap((field) => {
          const value = quantity(cells, field);
          return value === undefined ? [] : [[field, value]];
        }),
      );
      pods.push({
        name,
        arrival: arrival ?? 0,
        duration: duration ?? 0,
        ...amounts,
        ...(priority === undefined ? {} : { priority }),
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

const ENDS: ReadonlySet<string> = new Set(["4", "5", "6", "7", "8", "EVICT", "FAIL", "FINISH", "KILL", "LOST"]);

/** Times are microseconds. An instance lives from its SCHEDULE to the first event that ends it. */
function googleReader(): Reader {
  const started = new Map<string, Omit<TracedPod, "duration">>();
  const pods: TracedPod[] = [];
  const lives = new Map<string, number>();
  return {
    required: [
      "time",
      "type",
      "collection_id",
      "instance_index",
      "priority",
      "resource_request.cpus",
      "resource_request.memory",
    ],
    row(cells) {
      const key = `${cells.text("collection_id")}-${cells.text("instance_index")}`;
      const type = cells.text("type").toUpperCase();
      const arrival = (cells.number("time") ?? 0) / 1e6;
      const before = started.get(key);
      if (type === "3" || type === "SCHEDULE") {
        const life = lives.get(key) ?? 0;
        lives.set(key, life + 1);
        started.set(key, {
          name: podName("google", key, ...(life === 0 ? [] : [String(life)])),
          arrival,
          cpu: (cells.number("resource_request.cpus") ?? 0) * LARGEST.cpu,
          memory: Math.round((cells.number("resource_request.memory") ?? 0) * LARGEST.memory),
          priority: cells.number("priority") ?? 0,
          image: `collection-${podName(cells.text("collection_id"))}:1`,
          usage: [],
        });
      } else if (ENDS.has(type) && before !== undefined) {
        started.delete(key);
        pods.push({ ...before, duration: Math.max(0, arrival - before.arrival) });
      }
    },
    pods: () => pods,
  };
}

/** Times are seconds, plan_cpu hundredths of a core, plan_mem percent of a machine's memory. A task has several instances. */
function alibabaReader(): Reader {
  const pods: TracedPod[] = [];
  return {
    columns: [
      "task_name",
      "instance_num",
      "job_name",
      "task_type",
      "status",
      "start_time",
      "end_time",
      "plan_cpu",
      "plan_mem",
    ],
    required: [],
    row(cells) {
      const [start, end] = [cells.number("start_time"), cells.number("end_time")];
      // A task that has not ended has no end in the trace.
      if (start === undefined || end === undefined || end < start) return;
      const count = Math.min(cells.number("instance_num") ?? 1, MAX_INSTANCES);
      for (let index = 0; index < count; index++) {
        pods.push({
          name: podName("alibaba", cells.text("job_name"), cells.text("task_name"), String(index)),
          arrival: start,
          duration: end - start,
          cpu: (cells.number("plan_cpu") ?? 0) / 100,
          memory: Math.round(((cells.number("plan_mem") ?? 0) / 100) * LARGEST.memory),
          image: `${podName(cells.text("job_name"))}:1`,
          usage: [],
        });
      }
    },
    pods: () => pods,
  };
}

const MAX_INSTANCES = 100_000;

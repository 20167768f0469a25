/** A scenario file as it is used: read, checked, with its pods. */

import { dirname, resolve } from "node:path";
import {
  type ConfigFault,
  locateIn,
  parseWith,
  parseYamlText,
  pathText,
  type RcFile,
  TextFault,
  type ValueFault,
  wordFault,
} from "@hooklet/config";
import { errorText, NodeAgentError } from "@hooklet/core";
import { apiPod } from "@hooklet/core/internal";
import { errno } from "@hooklet/core/subsystem";
import { readBounded } from "@hooklet/linux";
import { isRecord, namespacedName, nearest, type Pod, readManifestObject } from "@hooklet/manifest";
import type { TracedPod } from "../trace/columns.js";
import { readTrace } from "../trace/read.js";
import { milliseconds } from "../values/amounts.js";
import { ScenarioFaultsError } from "../values/scenario-faults.js";
import { readPods } from "./read-pods.js";
import { type ScenarioFile, scenarioSchema } from "./schema.js";
import { operationNames, operationOf, type TimedExpectation, type TimedStep } from "./timed-steps.js";

/** A day of a trace with 10 000 pods is some 10 MB. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Where places are looked up: beyond this the parser of positions takes too long. */
const MAX_LOCATED = 4 * 1024 * 1024;

export interface Scenario {
  /** Absolute. */
  readonly file: string;
  readonly spec: ScenarioFile;
  /** Its `config` as an rc file of its own; undefined: there is none. */
  readonly rc: RcFile | undefined;
  /** Absolute path of `rc`. */
  readonly rcFile: string | undefined;
  /** By time; those of one time as they stand in the file. */
  readonly steps: readonly TimedStep[];
  readonly expectations: readonly TimedExpectation[];
  /** Milliseconds. */
  readonly until: number;
}

/** @throws ScenarioFaultsError with all faults; NodeAgentError INVALID for a file that cannot be read */
export async function readScenario(path: string): Promise<Scenario> {
  const file = resolve(path);
  return parseScenario(await textOf(file), file);
}

/** `file`: what the text is called, and from where its files are found. @throws ScenarioFaultsError */
export async function parseScenario(text: string, file: string): Promise<Scenario> {
  const locate = text.length > MAX_LOCATED ? () => undefined : lazily(() => locateIn(text));
  const placed = ({ path, ...fault }: ValueFault): ConfigFault => ({
    ...fault,
    file,
    ...locate(path),
    path: pathText(path),
  });
  const raw = parsed(text, file);
  const checked = parseWith(scenarioSchema, raw);
  if (checked.faults !== undefined) throw new ScenarioFaultsError(innermost(checked.faults).map(placed));
  const { value } = checked;
  const found = [...wholeFaults(value), ...stepFaults(value)];
  const steps: TimedStep[] = [];
  const placedFaults = found.map(placed);
  for (const [index, step] of value.timeline.entries()) {
    const read = await readPods(step, ["timeline", index, "apply"], dirname(file));
    placedFaults.push(...read.faults.map((fault) => ("file" in fault ? fault : placed(fault))));
    steps.push({ at: milliseconds(step.at), index, step, pods: read.pods, objects: read.objects });
  }
  if (value.trace !== undefined) {
    const { file: trace } = value.trace;
    const end = milliseconds(value.until);
    const all = traceSteps(await readTrace(resolve(dirname(file), trace)));
    for (const step of all) if (step.at <= end) steps.push(step);
  }
  if (placedFaults.length > 0) throw new ScenarioFaultsError(placedFaults);
  const config = isRecord(raw) && isRecord(raw.config) ? raw.config : undefined;
  return {
    file,
    spec: value,
    rc: config && { file, raw: config, locate: (inner) => locate(["config", ...inner]) },
    rcFile: value.rc === undefined ? undefined : resolve(dirname(file), value.rc),
    steps: steps.sort((a, b) => a.at - b.at || a.index - b.index),
    expectations: value.expect.map((expectation, index) => ({
      at: expectation.at === undefined ? undefined : milliseconds(expectation.at),
      index,
      line: locate(["expect", index])?.line,
      expectation,
    })),
    until: milliseconds(value.until),
  };
}

/** A step of paths, with what is below it. */
interface Branch {
  readonly below: Map<string | number, Branch>;
}

/** What is wrong with a whole often only follows from what is wrong inside; a fault of the file as such is always reported. */
function innermost(faults: readonly ValueFault[]): readonly ValueFault[] {
  const root: Branch = { below: new Map() };
  const ends = faults.map(({ path }) => {
    let at = root;
    for (const step of path) {
      const next = at.below.get(step) ?? { below: new Map() };
      at.below.set(step, next);
      at = next;
    }
    return at;
  });
  return faults.filter(({ path }, index) => path.length === 0 || ends[index]?.below.size === 0);
}

function parsed(text: string, file: string): unknown {
  try {
    return parseYamlText(text) ?? {};
  } catch (error) {
    if (!(error instanceof TextFault)) throw error;
    throw new ScenarioFaultsError([
      { file, path: "", expected: error.expected, found: error.message, ...error.position },
    ]);
  }
}

/** What holds of the file as a whole. */
function wholeFaults({ config, rc, timeline, expect, until }: ScenarioFile): readonly ValueFault[] {
  const end = milliseconds(until);
  const late = (path: readonly (string | number)[], at: string | number | undefined): ValueFault[] =>
    at !== undefined && milliseconds(at) > end
      ? [wordFault([...path, "at"], `a time until the end, ${until}`, String(at))]
      : [];
  return [
    ...(config !== undefined && rc !== undefined ? [wordFault(["rc"], "either config or rc", "both")] : []),
    ...timeline.flatMap(({ at }, index) => late(["timeline", index], at)),
    ...expect.flatMap(({ at }, index) => late(["expect", index], at)),
  ];
}

async function textOf(file: string): Promise<string> {
  try {
    return await readBounded(file, { maxBytes: MAX_BYTES, anyKind: true });
  } catch (cause) {
    if (errno(cause) === "EFBIG") {
      throw new NodeAgentError("INVALID", `${file} is larger than ${MAX_BYTES / 2 ** 20} MiB.`, { cause });
    }
    throw new NodeAgentError("INVALID", `Cannot read the scenario ${file}: ${errorText(cause)}`, { cause });
  }
}

/** Positions are asked for where something is wrong, and otherwise not made. */
function lazily(make: () => RcFile["locate"]): RcFile["locate"] {
  let made: RcFile["locate"] | undefined;
  return (path) => {
    made ??= make();
    return made(path);
  };
}

/** Names in the steps that must be known: operations, resources, devices. */
export function stepFaults({ devices, timeline }: ScenarioFile): readonly ValueFault[] {
  const resources = Object.keys(devices);
  return timeline.flatMap(({ fault, delay, device, devicePlugin }, index) => {
    const faults: ValueFault[] = [];
    const unknown = (path: readonly string[], expected: string, found: string, known: readonly string[]): void => {
      faults.push(wordFault(["timeline", index, ...path], expected, JSON.stringify(found), nearest(found, known)));
    };
    for (const [key, one] of [["fault", fault] as const, ["delay", delay] as const]) {
      if (one === undefined || operationOf(one.op) !== undefined) continue;
      unknown([key, "op"], `an operation of the runtime (${operationNames.join(", ")})`, one.op, operationNames);
    }
    for (const [key, one] of [["device", device] as const, ["devicePlugin", devicePlugin] as const]) {
      if (one === undefined || resources.includes(one.resource)) continue;
      unknown([key, "resource"], "a resource of devices", one.resource, resources);
    }
    const ids = device === undefined ? [] : (devices[device.resource] ?? []).map(({ id }) => id);
    if (device !== undefined && ids.length > 0 && !ids.includes(device.id)) {
      unknown(["device", "id"], `a device of ${device.resource}`, device.id, ids);
    }
    return faults;
  });
}

// Pods of a trace as steps of a timeline.

/** Milliseconds that a pod which has ended is left for people to see. */
const SEEN = 30_000;

/** A pod comes, uses what it uses, ends by itself, and is deleted. What was evicted meanwhile is passed over. */
function traceSteps(pods: readonly TracedPod[]): readonly TimedStep[] {
  const steps: TimedStep[] = [];
  for (const traced of pods) {
    const at = Math.round(traced.arrival * 1000);
    const pod = podOf(traced);
    const key = namespacedName(pod.metadata);
    const step = (after: number, one: Omit<TimedStep["step"], "at">): TimedStep => ({
      at: at + after,
      index: -1,
      step: { at: (at + after) / 1000, ...one },
      pods: [],
      objects: [],
      mayFail: true,
    });
    steps.push({ ...step(0, {}), pods: [pod] });
    for (const { after, memory } of traced.usage) {
      // Once it runs: at the instant of its arrival it does not yet.
      steps.push(step(Math.round(after * 1000) + 100, { usage: { pod: key, memory } }));
    }
    steps.push(step(Math.round(traced.duration * 1000) + SEEN, { delete: key }));
  }
  return steps;
}

function podOf({ name, duration, cpu, memory, cpuLimit, memoryLimit, priority, image }: TracedPod): Pod {
  const list = (cores: number | undefined, bytes: number | undefined): object => ({
    ...(cores === undefined ? {} : { cpu: `${Math.round(cores * 1000)}m` }),
    ...(bytes === undefined ? {} : { memory: String(bytes) }),
  });
  const container = {
    name: "main",
    image,
    command: ["sleep", String(duration)],
    resources: { requests: list(cpu, memory), limits: list(cpuLimit, memoryLimit) },
  };
  const manifest = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { restartPolicy: "Never", ...(priority === undefined ? {} : { priority }), containers: [container] },
  };
  const identify = (pod: Parameters<typeof apiPod>[0]): Pod =>
    apiPod(pod, { nodeName: "node", seen: 0, uid: "simulated" });
  const [pod] = readManifestObject(manifest, `pod ${name}`, identify);
  return pod as Pod;
}

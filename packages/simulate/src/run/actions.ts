/** What each action of a timeline does. */

import type { Timer } from "@hooklet/core";
import { namespacedName } from "@hooklet/manifest";
import type { Step } from "../scenario/schema.js";
import { type Operation, operationOf, type TimedStep } from "../scenario/timed-steps.js";
import { amounts, milliseconds } from "../values/amounts.js";
import { exit } from "../world/running.js";
import { simulatedImage } from "../world/simulated-image.js";
import { containerOf, containersOf } from "./inside.js";
import type { ScenarioNode } from "./scenario-node.js";

type Actions = { [Name in keyof Step]?: (node: ScenarioNode, given: NonNullable<Step[Name]>) => unknown };

const actions: Actions = {
  delete: ({ source }, names) => {
    for (const name of [names].flat()) source.delete(name);
  },
  deleteObject: async (node, { kind, name }) => {
    const [own = "", namespace = "default"] = name.split("/").reverse();
    await node.api.deleteObject(kind, { namespace, name: own });
    node.recorder.add({ kind: "object.removed", object: objectName(kind, { namespace, name: own }) });
  },
  probe: ({ probes, source, runtime }, { pod, container, type, result, output = "", takes, healedByRestart }) => {
    const uid = source.uidOf(pod);
    const name = containerOf(source, uid, container);
    const attempt = healedByRestart ? { containerId: runtime.idOf(uid, name) } : {};
    probes.tell(uid, name, type, { result, output, takes: takes === undefined ? 0 : milliseconds(takes), ...attempt });
  },
  exit: (node, { pod, container, code, reason }) => {
    const uid = node.source.uidOf(pod);
    const name = containerOf(node.source, uid, container);
    const running = node.running(node.runtime.idOf(uid, name));
    if (running === undefined) throw new Error(`container ${name} does not run, so it cannot exit`);
    exit(running, code, reason);
  },
  onTerm: ({ source, terms }, { pod, container, code = 0, after, ignored }) => {
    const uid = source.uidOf(pod);
    const name = containerOf(source, uid, container);
    const known = containersOf(source, uid);
    if (!known.includes(name))
      throw new Error(`expected a container of pod ${pod}, ${known.join(", ")}, found ${name}`);
    const how = { code, after: after === undefined ? 0 : milliseconds(after), ignored };
    terms.tell(uid, name, how);
  },
  usage: use,
  imageFs: ({ disks }, given) => disks.setImage(given),
  nodeFs: ({ disks }, given) => disks.setNode(given),
  image: ({ runtime }, image) => {
    runtime.addImage(simulatedImage(image));
  },
  registry: ({ runtime }, image) => runtime.publishImage(simulatedImage(image)),
  device: ({ devices }, { resource, id, health }) => devices.setHealth(resource, id, health),
  devicePlugin: ({ devices }, { resource, state }) =>
    state === "gone" ? devices.end(resource) : devices.back(resource),
  fault: ({ runtime }, { op, times, error }) => runtime.failNext(operationOf(op) as Operation, error, times),
  delay: ({ runtime }, { op, by }) => runtime.delay(operationOf(op) as Operation, milliseconds(by)),
  sandbox: ({ runtime, source }, { pod }) => runtime.loseSandbox(source.uidOf(pod)),
  shutdown: ({ logind }, what) => (what === "begin" ? logind.begin() : logind.cancel()),
  agent: (node) => node.restart(),
};

/** Does what the step says. @throws Error in words when it cannot be done now */
export async function act(node: ScenarioNode, { step, pods, objects }: TimedStep): Promise<void> {
  // Before the pods that want them.
  for (const object of objects) {
    await node.api.apply(JSON.stringify(object), "scenario");
    node.recorder.add({ kind: "object.applied", object: objectName(object.kind, object.metadata) });
  }
  for (const pod of pods) {
    node.recorder.add({ kind: "pod.applied", pod: namespacedName(pod.metadata) });
    node.apply(pod);
  }
  for (const [name, action] of Object.entries(actions) as [
    keyof Step,
    (node: ScenarioNode, given: unknown) => unknown,
  ][]) {
    if (step[name] !== undefined) await action(node, step[name]);
  }
}

/** `configmap/default/web`. */
function objectName(kind: string, metadata: { readonly namespace: string; readonly name: string }): string {
  return `${kind.toLowerCase()}/${namespacedName(metadata)}`;
}

// Usage on the timeline: at once, or growing.

/** Milliseconds between two steps of growth. */
const STEP = 1000;

type Given = Pick<NonNullable<Step["usage"]>, "memory" | "disk" | "volumes" | "logs" | "pids">;
type Amounts = { readonly [Name in keyof Given]?: number };

/** What can be used: what is used now, and a way to set it. */
interface Subject {
  used(): Amounts;
  set(amounts: Amounts): void;
  /** False: it has ended. */
  isThere(): boolean;
}

export function use(node: ScenarioNode, { pod, container, over, ...given }: NonNullable<Step["usage"]>): void {
  const wanted = amounts(given);
  const subject = pod === undefined ? machineOf(node) : subjectOf(node, pod, container);
  const time = over === undefined ? 0 : milliseconds(over);
  if (time === 0) subject.set(wanted);
  else grow(node, subject, wanted, time);
}

function grow({ clock }: ScenarioNode, subject: Subject, wanted: Amounts, time: number): Timer {
  const from = subject.used();
  const began = clock.monotonic();
  const step = (): void => {
    if (!subject.isThere()) return;
    const share = Math.min(1, (clock.monotonic() - began) / time);
    const entries = Object.entries(wanted).map(([name, to]) => {
      const start = from[name as keyof Amounts] ?? 0;
      return [name, Math.round(start + (to - start) * share)];
    });
    subject.set(Object.fromEntries(entries) as Amounts);
    if (share < 1) clock.schedule(Math.min(STEP, began + time - clock.monotonic()), step);
  };
  return clock.schedule(Math.min(STEP, time), step);
}

function machineOf({ machine, disks, consumption }: ScenarioNode): Subject {
  return {
    used: () => ({ ...machine.usage.system, disk: disks.system }),
    set({ disk, ...others }) {
      machine.usage.setSystem(others);
      if (disk !== undefined) disks.setSystem(disk);
      consumption.check();
    },
    isThere: () => true,
  };
}

function subjectOf(node: ScenarioNode, pod: string, container: string | undefined): Subject {
  const uid = node.source.uidOf(pod);
  const name = containerOf(node.source, uid, container);
  const id = node.runtime.idOf(uid, name);
  const running = node.running(id);
  const spec = node.source.spec(uid);
  if (running === undefined || spec === undefined) {
    throw new Error(`container ${name} does not run, so it uses nothing`);
  }
  return {
    used: () => ({ ...node.consumption.used(id), ...node.data.used(uid, id) }),
    set({ volumes, logs, ...others }) {
      node.data.set(spec, running, { volumes, logs });
      node.consumption.set(id, others);
    },
    isThere: () => node.running(id) !== undefined,
  };
}

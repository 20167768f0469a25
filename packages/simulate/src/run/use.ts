/** Usage on the timeline: at once, or growing. */
import type { Timer } from "@hooklet/core";
import type { Step } from "../scenario/schema.js";
import { amounts, milliseconds } from "../values/amounts.js";
import { containerOf } from "./containers.js";
import type { ScenarioNode } from "./node.js";

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
      node.data.set(spec, running, {
        ...(volumes === undefined ? {} : { volumes }),
        ...(logs === undefined ? {} : { logs }),
      });
      node.consumption.set(id, others);
    },
    isThere: () => node.running(id) !== undefined,
  };
}

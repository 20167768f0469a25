/**
 * Detects OOM kills, including those where the container's first process survives. While nothing happens it reads one number
 * of /proc/vmstat.
 */
import type { NodeContext } from "@hooklet/core";
import { numberAfter } from "@hooklet/core/rules";
import type { StatisticsReader } from "../reader.js";
import type { MeasuredPod } from "../summary.js";
import type { TreeUsage } from "../tree.js";
import type { OomLedger } from "./ledger.js";
import { endedContainers, type KernelKill, type KnownPod, kernelKills, type Victim, victimFinder } from "./victim.js";

/** Most events of one check; a fork bomb at its limit may have thousands killed. */
const MAX_EVENTS = 20;
/** Microseconds that the log's clock may stand behind the machine's uptime. */
const CLOCK_SLACK = 2_000_000;
/** The kubelet's event (pkg/kubelet/oom): on the node, when the machine itself ran out. */
const SYSTEM_OOM = "SystemOOM";
/** On the pod, as node-problem-detector calls it. */
const OOM_KILLING = "OOMKilling";

export interface OomWatchParts {
  readonly ctx: Pick<NodeContext, "host" | "events" | "pods" | "node">;
  readonly statistics: Pick<StatisticsReader, "measured" | "cgroups">;
  readonly ledger: OomLedger;
}

interface Kills {
  readonly victim: Victim;
  readonly named: KernelKill[];
}

export class OomWatch {
  /** Kills on the machine since it started, as last seen. */
  #machine: number | undefined;
  /** Microseconds of uptime at the last check. */
  #uptime = 0;
  #lastRecord = -1;
  #events = 0;

  constructor(private readonly parts: OomWatchParts) {}

  /** Kills before the agent started are not reported. */
  begin(): void {
    this.#machine = this.#machineKills();
    this.#uptime = this.#uptimeNow();
    for (const [key, id] of this.#count(this.#pods())) this.parts.ledger.tell(key, id);
  }

  /** Counts and reports kills since the last check. */
  look(): void {
    const machine = this.#machineKills();
    const before = this.#uptime;
    this.#uptime = this.#uptimeNow();
    if (machine === this.#machine) return;
    this.#machine = machine;
    this.#events = 0;
    const pods = this.#pods();
    const kills = this.#logged(before);
    for (const kill of kills) if (kill.system) this.#reportNode(kill);
    for (const { victim, named } of this.#attributed(kills, pods)) this.#reportNamed(victim, named);
    const known = new Map(pods.map(({ pod }) => [pod.metadata.uid, pod]));
    for (const [key, id] of this.#count(pods)) {
      const unnamed = this.parts.ledger.tell(key, id);
      const pod = known.get(key.uid);
      if (unnamed > 0 && pod !== undefined) this.#report(pod, unnamedMessage(unnamed), key.container);
    }
  }

  /** Notes all counters and ends; gives the attempts that are known. */
  #count(pods: readonly KnownPod[]): (readonly [{ readonly uid: string; readonly container: string }, string])[] {
    const { statistics, ledger } = this.parts;
    const measured = statistics.measured();
    const tree = statistics.cgroups(measured)?.tree;
    if (tree !== undefined) countTree(ledger, measured, tree);
    return pods.flatMap(({ pod, containers }) => {
      const { uid } = pod.metadata;
      for (const { name, id, oomKilled } of endedContainers(pod))
        if (oomKilled) ledger.died({ uid, container: name }, id);
      return [...containers].map(([id, container]) => [{ uid, container }, id] as const);
    });
  }

  #attributed(kills: readonly KernelKill[], pods: readonly KnownPod[]): Kills[] {
    const find = victimFinder(pods);
    const all = new Map<string, Kills>();
    for (const kill of kills) {
      const victim = find(kill.cgroup);
      if (victim === undefined) continue;
      const { uid } = victim.pod.metadata;
      const key = `${uid}/${victim.container?.id ?? ""}`;
      const own = all.get(key) ?? { victim, named: [] };
      all.set(key, own);
      own.named.push(kill);
      if (victim.container !== undefined) {
        this.parts.ledger.logged({ uid, container: victim.container.name }, victim.container.id);
      }
    }
    return [...all.values()];
  }

  #reportNamed({ pod, container }: Victim, named: readonly KernelKill[]): void {
    for (const kill of named) this.#report(pod, oomKillingMessage(kill), container?.name);
    if (container !== undefined) {
      this.parts.ledger.tell({ uid: pod.metadata.uid, container: container.name }, container.id);
    }
  }

  #report(pod: Victim["pod"], message: string, container: string | undefined): void {
    if (this.#events++ < MAX_EVENTS) this.parts.ctx.events.pod(pod, "Warning", OOM_KILLING, message, container);
  }

  #reportNode(kill: KernelKill): void {
    if (this.#events++ < MAX_EVENTS) this.parts.ctx.events.node("Warning", SYSTEM_OOM, systemOomMessage(kill));
  }

  /** Kills in the kernel's log since the last check; none where it is not readable. */
  #logged(since: number): readonly KernelKill[] {
    const records = this.parts.ctx.host.kernelLog() ?? [];
    const news = records.filter(({ sequence, at }) => sequence > this.#lastRecord && at >= since - CLOCK_SLACK);
    this.#lastRecord = records.at(-1)?.sequence ?? this.#lastRecord;
    return kernelKills(news.map(({ text }) => text));
  }

  #pods(): KnownPod[] {
    const { ctx, statistics } = this.parts;
    const where = ctx.node.cgroups();
    if (where === undefined) return [];
    const running = new Map(statistics.measured().map(({ pod, containers }) => [pod.metadata.uid, containers]));
    // Also those that ended by it.
    return ctx.pods.list().map((pod) => ({
      pod,
      path: where.pod(pod),
      containers: new Map(
        [...endedContainers(pod), ...(running.get(pod.metadata.uid) ?? [])].map(({ id, name }) => [id, name]),
      ),
    }));
  }

  #machineKills(): number | undefined {
    return numberAfter(this.parts.ctx.host.kernel.read("/proc/vmstat") ?? "", "oom_kill");
  }

  #uptimeNow(): number {
    const seconds = Number.parseFloat(this.parts.ctx.host.kernel.read("/proc/uptime") ?? "");
    return Number.isFinite(seconds) ? seconds * 1_000_000 : 0;
  }
}

/** Notes what the cgroups of running containers have counted. */
export function countTree(ledger: OomLedger, pods: readonly MeasuredPod[], tree: TreeUsage): void {
  for (const { pod, containers } of pods) {
    const { uid } = pod.metadata;
    for (const { name, id } of containers) {
      const usage = tree.byPod.get(uid)?.containers.get(id);
      if (usage !== undefined) ledger.counted({ uid, container: name }, id, usage.memory.oomKills);
    }
  }
}

function systemOomMessage({ process, pid }: KernelKill): string {
  return `System OOM encountered, victim process: ${process}, pid: ${pid}`;
}

function oomKillingMessage({ system, process, pid }: KernelKill): string {
  return `${system ? "System" : "Memory cgroup"} OOM encountered, victim process: ${process}, pid: ${pid}`;
}

/** Where the kernel's log is not readable, or had no entry. */
function unnamedMessage(count: number): string {
  return `Memory cgroup OOM encountered, ${count === 1 ? "a process was" : `${count} processes were`} killed`;
}

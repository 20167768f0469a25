/** The plugin's life: opens the tree, gives pods their cgroups, keeps both in order. Where cgroups cannot be written it stands aside. */
import { createHash } from "node:crypto";
import {
  type Container,
  errorText,
  type Json,
  type LinuxContainerResources,
  NodeAgentError,
  type NodeContext,
  type NodeView,
  type Pod,
  type Timer,
} from "@hooklet/core";
import { quantityOf, quantityOfMilli, type ResourceList } from "@hooklet/core/rules";
import { ensureCgroup } from "./apply/make.js";
import { Caretaker, type KeptTree } from "./caretaker.js";
import type { CpuAssignments } from "./cpu/assignments.js";
import { allFolders, type CgroupLayout, readLayout } from "./host/hierarchies.js";
import {
  hugePageSizes,
  hugetlbAvailable,
  pidLimit,
  swapCapacity,
  swapControllerAvailable,
  withPids,
} from "./host/machine.js";
import { type CgroupFiles, hostFiles } from "./host/port.js";
import { CgroupManager } from "./manager/manager.js";
import { type CgroupDriver, cgroupPath } from "./name/name.js";
import { nodeAllocatableRoot } from "./name/tree.js";
import type { CgroupOptions } from "./options.js";
import type { ReservedKey } from "./plan/node-plan.js";
import { type NodeRules, nodeRules, type Weights } from "./plan/node-rules.js";
import { containerPlan } from "./plan/pod-plan.js";
import { teller } from "./tell.js";

export interface ServiceParts {
  readonly ctx: NodeContext;
  readonly options: CgroupOptions;
  readonly weights: Weights;
  /** Undefined: cpuManagerPolicy none. */
  readonly cpus: CpuAssignments | undefined;
  readonly took: (operation: string, seconds: number) => void;
}

/** Milliseconds: own pods are remembered together. */
const REMEMBER_AFTER = 1000;

/** The agent's cgroups once they are open. */
export interface OpenCgroups extends KeptTree {
  readonly caretaker: Caretaker;
}

export class CgroupService {
  readonly #parts: ServiceParts;
  readonly #checkpoint;
  #rules: NodeRules | undefined;
  #open: OpenCgroups | undefined;
  #why = "not opened yet";
  #remembering: Timer | undefined;

  constructor(parts: ServiceParts) {
    const { cgroupRoot } = parts.options;
    const { rootDir } = parts.ctx.node;
    this.#parts = { ...parts, options: { ...parts.options, cgroupRoot: cgroupRoot || ownRoot(rootDir) } };
    this.#checkpoint = parts.ctx.checkpoint("pods");
  }

  /** Undefined where cgroups are not kept; `why` says why. */
  get open(): OpenCgroups | undefined {
    return this.#open;
  }

  get why(): string {
    return this.#why;
  }

  /** The rules of this node, also where cgroups are not kept. */
  get rules(): NodeRules {
    if (this.#rules === undefined) throw new NodeAgentError("INVALID", "plugin cgroups: asked before it was opened");
    return this.#rules;
  }

  /** @throws NodeAgentError when the driver cannot be had here, or a reservation of the system cannot be enforced */
  async begin(observed: NodeView): Promise<void> {
    const { ctx, options } = this.#parts;
    const files = hostFiles(ctx.host);
    const driver = await this.#driver();
    const layout = readLayout(files.read("/proc/self/mountinfo") ?? "");
    const why = layout === undefined ? "no cgroups are mounted" : this.#prepare(files, layout, driver);
    this.#rules = this.#rulesOf(files, layout, driver);
    if (!options.cgroupsPerQOS) return this.#standAside("cgroupsPerQOS is off");
    if (layout === undefined || why !== undefined) return this.#refuse(why ?? "");
    const manager = new CgroupManager({
      files,
      layout,
      rules: this.#rules,
      clock: ctx.clock,
      told: teller(ctx, this.#parts.took),
      ownedChanged: () => this.#rememberSoon(),
    });
    manager.adopt(readUids(await this.#checkpoint.read()));
    manager.adopt(observed.sandboxes.map(({ metadata }) => metadata.uid));
    const foreign = manager.foreign();
    if (foreign !== undefined) {
      return this.#refuse(`${foreign} holds processes of another agent; set option cgroupRoot of one of the two`);
    }
    try {
      await manager.open(ctx.pods.active());
    } catch (error) {
      return this.#refuse(errorText(error));
    }
    ctx.events.node("Normal", "NodeAllocatableEnforced", "Updated Node Allocatable limit across pods");
    await this.#enforceReserved(manager);
    this.#open = { manager, layout, files, caretaker: new Caretaker(ctx, { manager, layout, files }) };
    this.#why = "";
  }

  /** Before each sandbox: the pod's cgroup, or undefined where there is none. */
  async beforeSandbox(pod: Pod): Promise<string | undefined> {
    return this.#open?.manager.ensurePod(pod);
  }

  resourcesOf(pod: Pod, container: Container): LinuxContainerResources {
    return containerPlan(pod, container, this.rules).resources;
  }

  async removePod(pod: Pod): Promise<void> {
    await this.#open?.manager.removePod(pod);
  }

  /** Every minute. @param applied the pod with what it has, while it waits for more or less */
  async reconcile(signal: AbortSignal, applied: (pod: Pod) => Pod): Promise<void> {
    const { ctx } = this.#parts;
    if (this.#open === undefined) return;
    await this.#open.manager.reconcile(ctx.pods.active().map(applied), signal);
    this.#open.caretaker.look();
    const known = new Set(ctx.pods.list().map(({ metadata }) => metadata.uid));
    await this.#open.manager.removeOrphans(known, async () => {
      const sandboxes = await ctx.runtime.listSandboxes();
      return new Set(sandboxes.map(({ metadata }) => metadata.uid));
    });
  }

  async stop(): Promise<void> {
    // A tree of its own that nobody is in: it would only lie about.
    if (this.#parts.options.cgroupRoot !== "/" && this.#open?.manager.pods().length === 0) this.#leave(this.#open);
    if (this.#remembering === undefined) return;
    this.#remembering.cancel();
    this.#remembering = undefined;
    await this.#remember();
  }

  /** Removes the empty tree; what is in use stays. */
  #leave({ files, layout, manager }: OpenCgroups): void {
    const { cgroupRoot } = this.#parts.options;
    const paths = [...new Set(manager.nodePlan().map(({ path }) => path))].sort((a, b) => b.length - a.length);
    try {
      for (const path of [...paths, cgroupRoot]) {
        for (const folder of allFolders(layout, path)) files.removeDirectory(folder);
      }
    } catch (error) {
      this.#parts.ctx.log.warn(`cgroup ${cgroupRoot} stays: ${errorText(error)}`);
    }
  }

  async #driver(): Promise<CgroupDriver> {
    const { ctx, options } = this.#parts;
    const { cgroupDriver: told } = await ctx.runtime.facts();
    const driver = told ?? options.cgroupDriver ?? "cgroupfs";
    if (told !== undefined && options.cgroupDriver !== undefined && told !== options.cgroupDriver) {
      ctx.log.warn(`option cgroupDriver is ${options.cgroupDriver}, but the runtime uses ${told}: that is taken`);
    }
    if (driver === "systemd" && ctx.runtime.name === "process") {
      throw new NodeAgentError(
        "INVALID",
        'option cgroupDriver: expected "cgroupfs" on the process runtime, which makes cgroups itself, found "systemd".',
      );
    }
    return driver;
  }

  /** Makes the cgroup of all pods, to see whether that can be done and what it offers. */
  #prepare(files: CgroupFiles, layout: CgroupLayout, driver: CgroupDriver): string | undefined {
    const { cgroupRoot, cgroupsPerQOS } = this.#parts.options;
    if (!cgroupsPerQOS) return undefined;
    try {
      ensureCgroup(files, layout, cgroupPath(nodeAllocatableRoot(cgroupRoot, true), driver));
      return undefined;
    } catch (error) {
      return errorText(error);
    }
  }

  #rulesOf(files: CgroupFiles, layout: CgroupLayout | undefined, driver: CgroupDriver): NodeRules {
    const { ctx, options, weights, cpus } = this.#parts;
    const reserved = ctx.node.reserved();
    const kubepods = cgroupPath(nodeAllocatableRoot(options.cgroupRoot, options.cgroupsPerQOS), driver);
    const facts = {
      version: layout?.version ?? "v2",
      driver,
      capacity: withPids(listOf(ctx.node.capacity()), pidLimit(files)),
      systemReserved: listOf(reserved.systemReserved),
      kubeReserved: listOf(reserved.kubeReserved),
      pageSize: ctx.host.pageSize,
      hugePageSizes: hugePageSizes(files),
      hugetlb: layout !== undefined && hugetlbAvailable(files, layout),
      swapControllerAvailable: layout !== undefined && swapControllerAvailable(files, layout, kubepods),
      swapCapacity: swapCapacity(files),
    };
    return nodeRules(options, facts, weights, cpus);
  }

  async #enforceReserved(manager: CgroupManager): Promise<void> {
    const { ctx } = this.#parts;
    for (const key of this.rules.enforce) {
      if (key === "pods") continue;
      const path = await this.#reserved(manager, key);
      ctx.events.node("Normal", "NodeAllocatableEnforced", `Updated limits on ${reservedName(key)} cgroup ${path}`);
    }
  }

  async #reserved(manager: CgroupManager, key: ReservedKey): Promise<string> {
    try {
      return await manager.enforceReserved(key);
    } catch (error) {
      this.#parts.ctx.events.node("Warning", "FailedNodeAllocatableEnforcement", errorText(error));
      throw error;
    }
  }

  /** The agent runs on without; said once, and shown as a condition of the node. */
  #refuse(why: string): void {
    const { ctx } = this.#parts;
    const message = `cgroups are not kept, so limits are the runtime's own: ${why}`;
    ctx.log.warn(message);
    ctx.events.node("Warning", "CgroupsUnavailable", message);
    ctx.node.setCondition("CgroupsUnavailable", { status: "True", reason: "CannotWriteCgroups", message });
    this.#why = why;
  }

  #standAside(why: string): void {
    this.#why = why;
  }

  #rememberSoon(): void {
    const { clock } = this.#parts.ctx;
    this.#remembering ??= clock.schedule(REMEMBER_AFTER, () => {
      this.#remembering = undefined;
      void this.#remember();
    });
  }

  async #remember(): Promise<void> {
    try {
      await this.#checkpoint.write({ uids: this.#open?.manager.owned() ?? [] });
    } catch (error) {
      this.#parts.ctx.log.error({ err: error }, `cannot remember whose cgroups are the agent's: ${errorText(error)}`);
    }
  }
}

/** Where the machine's own agent has its state. */
const USUAL_ROOT_DIR = "/var/lib/hooklet";

/**
 * Without option `cgroupRoot` the machine's own agent has the kubelet's tree, `/kubepods`. Any other agent on the machine has
 * another root dir, and by that a tree of its own: two agents in one would undo each other's work.
 */
export function ownRoot(rootDir: string): string {
  if (rootDir === USUAL_ROOT_DIR) return "/";
  return `/hooklet-${createHash("sha256").update(rootDir).digest("hex").slice(0, 10)}`;
}

function reservedName(key: ReservedKey): string {
  return key.startsWith("system") ? "system reserved" : "kube reserved";
}

/** Amounts as the contract gives them (cpu in milli-cores) as exact lists. */
function listOf(resources: Readonly<Record<string, number>>): ResourceList {
  return new Map(
    Object.entries(resources).map(([name, amount]) => {
      const format = name === "memory" || name.startsWith("hugepages-") ? "BinarySI" : "DecimalSI";
      return [name, name === "cpu" ? quantityOfMilli(amount) : quantityOf(amount, format)];
    }),
  );
}

/** Nothing of a file that is not as this plugin writes it. */
function readUids(saved: Json | undefined): readonly string[] {
  if (typeof saved !== "object" || saved === null || !("uids" in saved) || !Array.isArray(saved.uids)) return [];
  return saved.uids.filter((uid: unknown): uid is string => typeof uid === "string");
}

/** The plugin's life: opens the tree, gives pods their cgroups, keeps both in order. Where cgroups cannot be written it stands aside. */
import { type Container, errorText, NodeAgentError, type NodeContext, type NodeView, type Pod } from "@hooklet/core";
import { type CgroupLayout, readCgroupLayout } from "@hooklet/core/rules";
import type { KeptState, KernelFileReader, LinuxContainerResources, PodCgroups } from "@hooklet/core/subsystem";
import type { CpuAssignments } from "./cpu/requests.js";
import { allFolders, type CgroupFiles, containerFolder, hostFiles } from "./host/cgroup-files.js";
import { CgroupManager } from "./manager/cgroup-manager.js";
import { reporter } from "./manager/reports.js";
import { type CgroupDriver, cgroupPath, nodeAllocatableRoot } from "./name/name.js";
import { driverOf, ruleFacts } from "./opening/facts.js";
import { makeRoot, rootOfAgent } from "./opening/root.js";
import type { CgroupOptions } from "./options.js";
import type { ReservedKey } from "./plan/node-plan.js";
import { type NodeRules, nodeRules, type Weights } from "./plan/node-rules.js";
import { containerPlan, podPath } from "./plan/pod-plan.js";
import { type KeptTree, Reconciler } from "./reconciler.js";

export interface ServiceParts {
  readonly ctx: NodeContext;
  readonly options: CgroupOptions;
  readonly weights: Weights;
  /** Undefined: cpuManagerPolicy none. */
  readonly cpus: CpuAssignments | undefined;
  readonly took: (operation: string, seconds: number) => void;
}

/** Descriptors that stay open between two reconciles, which halves their cost: of some 700 pods. */
const KEPT_FILES = 4096;

/** Milliseconds: changes are remembered together. */
const REMEMBER_EVERY = 1000;

/** The agent's cgroups once they are open. */
export interface OpenCgroups extends KeptTree {
  readonly reconciler: Reconciler;
}

export class CgroupService {
  readonly #parts: ServiceParts;
  /** Whose cgroups are this agent's, remembered over a restart. */
  readonly #owned: KeptState<{ readonly uids: readonly string[] }>;
  #cgroupRoot: string;
  #rules: NodeRules | undefined;
  #open: OpenCgroups | undefined;
  #why = "not opened yet";
  #delegated: string | undefined;
  #enforced = false;
  #containers = true;
  #kept: KernelFileReader | undefined;
  #podCgroups: PodCgroups | undefined;

  constructor(parts: ServiceParts) {
    const { cgroupRoot } = parts.options;
    const { rootDir } = parts.ctx.node;
    this.#parts = parts;
    this.#cgroupRoot = cgroupRoot || parts.ctx.world.get(rootOfAgent)(rootDir);
    this.#owned = parts.ctx.checkpoint("pods").keep<{ readonly uids: readonly string[] }>({
      value: () => ({ uids: this.#open?.manager.owned() ?? [] }),
      schema: (z) => z.object({ uids: z.array(z.string()) }),
      spacing: REMEMBER_EVERY,
      failed: (error) =>
        parts.ctx.log.error({ err: error }, `cannot save the list of the agent's cgroups: ${errorText(error)}`),
    });
  }

  /** Undefined where cgroups are not kept; `why` says why. */
  get open(): OpenCgroups | undefined {
    return this.#open;
  }

  get why(): string {
    return this.#why;
  }

  /** The message about a delegated subtree in place of the machine's cgroups. */
  get delegated(): string | undefined {
    return this.#delegated;
  }

  /** Whether containers have cgroups of the runtime. */
  get containers(): boolean {
    return this.#containers;
  }

  /** Where pods have their cgroups; undefined where none are kept, or the runtime puts no containers into them. */
  get podCgroups(): PodCgroups | undefined {
    return this.#podCgroups;
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
    const driver = await driverOf(ctx, options);
    this.#containers = (await ctx.runtime.facts()).cgroups;
    const layout = readCgroupLayout(files.read("/proc/self/mountinfo") ?? "");
    const why = this.#root(files, layout, driver);
    this.#rules = this.#rulesOf(files, layout, driver);
    if (!options.cgroupsPerQOS) return this.#standAside("cgroupsPerQOS is off");
    if (layout === undefined || why !== undefined) return this.#refuse(why ?? "no cgroups are mounted");
    this.#kept = ctx.host.kernel.reader(KEPT_FILES);
    const manager = new CgroupManager({
      // A removal may still be under way when the agent stops.
      files: { ...files, read: (path) => (this.#kept ?? files).read(path) },
      layout,
      rules: this.#rules,
      clock: ctx.clock,
      reports: reporter(ctx, this.#parts.took),
      ownedChanged: () => this.#owned.changed(),
    });
    manager.adopt((await this.#owned.read())?.uids ?? []);
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
    this.#reportEnforced(manager);
    await this.#enforceReserved(manager);
    this.#open = { manager, layout, files, reconciler: new Reconciler(ctx, { manager, layout, files }) };
    this.#why = "";
    if (this.#containers) this.#podCgroups = podCgroupsOf(this.#rules, files, layout);
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
    this.#reportEnforced(this.#open.manager);
    await this.#open.reconciler.look();
    const known = new Set(ctx.pods.list().map(({ metadata }) => metadata.uid));
    const withSandbox = async (): Promise<ReadonlySet<string>> => {
      const sandboxes = await ctx.runtime.listSandboxes();
      return new Set(sandboxes.map(({ metadata }) => metadata.uid));
    };
    await this.#open.manager.removeOrphans(known, withSandbox, signal);
  }

  async stop(): Promise<void> {
    await this.#end();
    const kept = this.#kept;
    this.#kept = undefined;
    kept?.close();
  }

  async #end(): Promise<void> {
    // An empty tree would only be left behind.
    if (this.#cgroupRoot !== "/" && this.#open?.manager.pods().length === 0) this.#leave(this.#open);
    await this.#owned.close();
  }

  /** Removes the empty tree; what is in use stays. */
  #leave({ files, layout, manager }: OpenCgroups): void {
    const cgroupRoot = this.#cgroupRoot;
    const paths = [...new Set(manager.tree.plan().map(({ path }) => path))].sort((a, b) => b.length - a.length);
    try {
      for (const path of [...paths, cgroupRoot]) {
        for (const folder of allFolders(layout, path)) files.removeDirectory(folder);
      }
    } catch (error) {
      this.#parts.ctx.log.warn(`cgroup ${cgroupRoot} stays: ${errorText(error)}`);
    }
  }

  /** Where the tree is kept; why it cannot be, otherwise. */
  #root(files: CgroupFiles, layout: CgroupLayout | undefined, driver: CgroupDriver): string | undefined {
    const { options, ctx } = this.#parts;
    if (layout === undefined) return "no cgroups are mounted";
    if (!options.cgroupsPerQOS) return undefined;
    const found = makeRoot(files, layout, driver, this.#cgroupRoot, options.cgroupRoot !== "");
    if ("why" in found) return found.why;
    this.#cgroupRoot = found.root;
    this.#delegated = found.delegated;
    if (found.delegated !== undefined) tellDelegated(ctx, found.delegated);
    return undefined;
  }

  #rulesOf(files: CgroupFiles, layout: CgroupLayout | undefined, driver: CgroupDriver): NodeRules {
    const { ctx, weights, cpus } = this.#parts;
    const options = { ...this.#parts.options, cgroupRoot: this.#cgroupRoot };
    const kubepods = cgroupPath(nodeAllocatableRoot(options.cgroupRoot, options.cgroupsPerQOS), driver);
    return nodeRules(options, ruleFacts(ctx, files, layout, driver, kubepods), weights, cpus);
  }

  /** Reports that the kernel took all of it; refusals are reported when they come, and retried every minute. */
  #reportEnforced(manager: CgroupManager): void {
    const path = cgroupPath(this.rules.kubepods, this.rules.driver);
    if (this.#enforced || manager.refusals().some((refused) => refused.path === path)) return;
    this.#enforced = true;
    this.#parts.ctx.events.node("Normal", "NodeAllocatableEnforced", "Updated Node Allocatable limit across pods");
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
      return await manager.tree.enforce(key);
    } catch (error) {
      this.#parts.ctx.events.node("Warning", "FailedNodeAllocatableEnforcement", errorText(error));
      throw error;
    }
  }

  /** The agent continues without cgroups; reported once as an event, and as a condition of the node. */
  #refuse(why: string): void {
    const { ctx } = this.#parts;
    const isPermission = NOT_PERMITTED.test(why);
    const message = `cgroups cannot be managed here, so limits are not enforced: ${why}${isPermission ? `. ${REMEDY}` : ""}`;
    // Nothing failed: an ordinary user has no cgroups.
    ctx.events.node(isPermission ? "Normal" : "Warning", "CgroupsUnavailable", message);
    ctx.node.setCondition("CgroupsUnavailable", { status: "True", reason: "CannotWriteCgroups", message });
    this.#why = why;
  }

  #standAside(why: string): void {
    this.#why = why;
  }
}

const NOT_PERMITTED = /\b(?:EACCES|EPERM|EROFS|not delegated|no delegation)\b/;
const REMEDY = "Run hooklet as root, or on cgroup v2 in a systemd unit with Delegate=yes";

function podCgroupsOf(rules: NodeRules, files: CgroupFiles, layout: CgroupLayout): PodCgroups {
  const { driver, roots } = rules;
  return {
    all: cgroupPath(rules.kubepods, driver),
    classes: {
      Guaranteed: cgroupPath(roots.Guaranteed, driver),
      Burstable: cgroupPath(roots.Burstable, driver),
      BestEffort: cgroupPath(roots.BestEffort, driver),
    },
    pod: (pod) => podPath(pod, rules),
    container: (id, path) => containerFolder(files, layout, driver, { podPath: path, id }),
  };
}

function tellDelegated(ctx: NodeContext, text: string): void {
  ctx.events.node("Normal", "CgroupsDelegated", text);
  ctx.node.setCondition("CgroupsDelegated", { status: "True", reason: "DelegatedSubtree", message: text });
}

function reservedName(key: ReservedKey): string {
  return key.startsWith("system") ? "system reserved" : "kube reserved";
}

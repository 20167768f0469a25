/** The device manager at work: plugins, pods, node and disk around it. */

import {
  type AdmissionVerdict,
  type ContainerPlan,
  type ContainerStartEvent,
  errorText,
  hasEnded,
  type NodeContext,
  type NodeView,
  type Pod,
  type PodAdmitEvent,
} from "@hooklet/core";
import { admitDevices, type TopologyOptions } from "./admission.js";
import { sanitizeAllocatable } from "./device/device.js";
import { applyOptions } from "./device/run-options.js";
import { choiceDecision } from "./explain.js";
import { HealthReporter } from "./health-reporter.js";
import type { DevicesIo } from "./io.js";
import { DeviceManager } from "./manager/device-manager.js";
import type { Choice, ManagerPorts } from "./manager/ports.js";
import { DeviceMemory } from "./memory.js";
import type { DeviceMetrics } from "./metrics.js";
import type { DevicesOptions, Folders } from "./options.js";
import { PluginServers } from "./plugin-servers.js";
import { ANNOTATION, holders, leaving, recoveryAnnotation } from "./recovery.js";
import type { AllocationStrategy } from "./strategies/allocation.js";
import { numaNodes, policyFault } from "./topology/policy.js";
import { waitForDevices, waitForPlugin } from "./waiting.js";

export class DeviceService {
  readonly manager: DeviceManager;
  readonly ports: ManagerPorts;
  readonly servers: PluginServers;
  readonly #health: HealthReporter;
  readonly #memory: DeviceMemory;
  readonly #resources: NodeResources;
  readonly #startedAt: number;
  /** NUMA nodes, read at the opening. */
  #machineNodes: readonly number[] = [0];

  constructor(
    private readonly ctx: NodeContext,
    private readonly options: DevicesOptions,
    private readonly allocation: { readonly use: AllocationStrategy; readonly name: string },
    private readonly metrics: DeviceMetrics,
    folders: Folders,
    io: DevicesIo,
  ) {
    const { clock } = ctx;
    this.#startedAt = clock.monotonic();
    this.#memory = new DeviceMemory(ctx, () => this.manager, folders, io);
    this.ports = {
      now: () => clock.monotonic(),
      sourcesReady: () => ctx.pods.sourcesReady(),
      wasRunning: (podUid, container) => this.#memory.wasRunning(podUid, container),
      activePods: () => holders(ctx.pods),
      machineNodes: () => this.#machineNodes,
      strategy: allocation.use,
      codec: io.codec,
      save: () => this.#memory.save(),
      allocated: (resource, milliseconds) => metrics.allocated(resource, milliseconds),
      chosen: (choice) => this.#chosen(choice),
    };
    this.manager = new DeviceManager(this.ports);
    this.#resources = new NodeResources(ctx.node, this.manager);
    this.#health = new HealthReporter(ctx, this.manager, options.onUnhealthy);
    this.servers = new PluginServers(ctx, folders, io, this.manager, metrics, {
      reported: (resource, changed) => {
        this.#health.reported(resource, changed);
        this.#changed();
      },
      changed: () => this.#changed(),
    });
  }

  get topology(): TopologyOptions {
    const { topologyManagerPolicy: policy, topologyManagerScope: scope } = this.options;
    return { policy, scope, machineNodes: this.#machineNodes, providers: this.ctx.node.hintProviders() };
  }

  /** @throws Error when the machine cannot keep the policy, or the checkpoint cannot be read */
  async open({ containers }: NodeView): Promise<void> {
    this.#machineNodes = numaNodes(this.ctx.host.kernel);
    const fault = policyFault(this.options.topologyManagerPolicy, this.#machineNodes);
    if (fault !== undefined) throw new Error(fault);
    await this.#memory.restore();
    await this.#memory.adopt(containers);
    this.#resources.declare();
    await this.servers.open();
  }

  /** A tap of podAdmit, stage check. */
  async admit(verdict: AdmissionVerdict, event: PodAdmitEvent): Promise<AdmissionVerdict> {
    const { pod, running } = event;
    const { uid } = pod.metadata;
    if (running.length > 0) {
      await this.#memory.adopt(running);
      this.#resources.raiseFor(uid);
      this.#health.show(pod);
      return verdict;
    }
    const wait = await this.#wait(event);
    if (wait !== undefined) return verdict.postpone(wait);
    const { clock } = this.ctx;
    const { topology, metrics } = this;
    const began = clock.monotonic();
    const undo = this.manager.undoPoint(uid);
    verdict.undo(async () => {
      const changed = undo();
      this.#resources.declare();
      this.#health.show(pod);
      if (changed) await this.#memory.save();
    });
    const rejection = await admitDevices(this.manager, pod, topology, {
      undo: (give) => verdict.undo(give),
      aligned: metrics.aligned,
    });
    metrics.admitted(clock.monotonic() - began, rejection !== undefined && topology.policy !== "none");
    if (rejection !== undefined) return verdict.reject(rejection);
    this.#resources.raiseFor(uid);
    this.#health.show(pod);
    return verdict;
  }

  /** A tap of podAdmit after the predicates: what was raised for them is set right again. */
  admitted({ pod }: PodAdmitEvent): void {
    this.manager.endAdmission(pod.metadata.uid);
    this.#resources.declare();
  }

  /** A tap of containerStart. Rejects with the kubelet's text; the start is retried. */
  async start(plan: ContainerPlan, { pod, container }: ContainerStartEvent): Promise<void> {
    const { uid } = pod.metadata;
    if (this.#health.needsOthers(uid, container.name)) this.manager.release(uid, container.name);
    const options = await this.manager.prepare(pod, container);
    if (options === undefined) return;
    for (const { field, kept, dropped } of options.conflicts) {
      this.ctx.log.error(
        { pod: uid, container: container.name },
        `two device plugins set ${field}: ${kept} is kept, ${dropped} is not`,
      );
    }
    applyOptions(plan, options);
    const annotation = recoveryAnnotation(this.manager.records.ofContainer(uid, container.name));
    if (annotation !== undefined) plan.setAnnotation(ANNOTATION, annotation);
    this.#health.show(pod);
  }

  /** A pod has changed: once it holds nothing of the node any more, its devices are free. */
  podChanged(uid: string, pod: Pod | undefined): void {
    const mayHaveLeft = pod === undefined || hasEnded(pod);
    if (!mayHaveLeft || !this.manager.records.hasPod(uid) || holders(this.ctx.pods).has(uid)) return;
    this.manager.free(uid);
    this.#changed();
  }

  /** Runs every few seconds: drops plugins gone for too long, replaces removed sockets. */
  async refresh(): Promise<void> {
    if (this.manager.collectGarbage()) this.#changed();
    else this.#resources.declare();
    this.#health.flush();
    await this.servers.refresh();
  }

  async stop(): Promise<void> {
    await this.servers.stop();
    this.manager.stop();
    await this.#memory.settled();
  }

  /** The records or the resources have changed. */
  #changed(): void {
    this.#resources.declare();
    this.#memory.save().catch((error: unknown) => this.ctx.log.error(errorText(error)));
  }

  async #wait({ pod, otherPods }: PodAdmitEvent) {
    const sinceStart = this.ctx.clock.monotonic() - this.#startedAt;
    const plugin = sinceStart < this.options.waitForPlugins * 1000 ? waitForPlugin(pod, this.manager) : undefined;
    if (plugin !== undefined) return plugin;
    return waitForDevices(pod, leaving(this.ctx.pods, otherPods), this.manager, this.ports, this.topology);
  }

  #chosen(choice: Choice): void {
    const { name } = this.allocation;
    this.ctx.decisions.record(choiceDecision(choice, name));
    if (choice.violation === undefined) return;
    const { pod, container, resource } = choice.input;
    const message = `allocation strategy "${name}" ${choice.violation} (${resource}): the kubelet's choice was taken`;
    this.ctx.log.error({ strategy: name }, message);
    this.ctx.events.pod(pod, "Warning", "AllocationStrategyFailed", message, container.name);
  }
}

// What the node's capacity and allocatable say of devices.

type Amounts = Readonly<Record<string, number>>;

class NodeResources {
  /** The resources last declared to the node, as text. */
  readonly #declared = new Map<string, string>();

  constructor(
    private readonly node: Pick<NodeContext["node"], "setExtendedResource">,
    private readonly manager: DeviceManager,
  ) {}

  /** Tells the node what there is. */
  declare(): void {
    const { capacity, allocatable, removed } = this.manager.capacity();
    // Of a resource that is no longer there the node keeps 0: it is known to be a device plugin's.
    for (const resource of removed) capacity[resource] = allocatable[resource] = 0;
    this.#publish(capacity, allocatable);
  }

  /**
   * Raises the capacity to what pods hold, unhealthy devices included, since the predicates count those. Until the next
   * `declare`.
   */
  raiseFor(podUid: string): void {
    const { records } = this.manager;
    if (!records.hasPod(podUid)) return;
    const { capacity, allocatable } = this.manager.capacity();
    const used = Object.fromEntries(records.resourcesInUse().map((name) => [name, records.inUse(name).size]));
    this.#publish({ ...used, ...capacity }, sanitizeAllocatable(allocatable, used));
  }

  #publish(capacity: Amounts, allocatable: Amounts): void {
    for (const [name, count] of Object.entries(capacity)) {
      const amounts = { capacity: count, allocatable: allocatable[name] ?? 0 };
      const text = `${amounts.capacity} ${amounts.allocatable}`;
      if (this.#declared.get(name) === text) continue;
      this.#declared.set(name, text);
      this.node.setExtendedResource(name, amounts);
    }
  }
}

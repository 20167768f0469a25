/** The device manager at work: plugins, pods, node and disk around it. */
import { join } from "node:path";
import {
  type AdmissionVerdict,
  type ContainerPlan,
  type ContainerStartEvent,
  errorText,
  type NodeContext,
  type NodeView,
  type Pod,
  type PodAdmitEvent,
  strategyName,
} from "@hooklet/core";
import { Labels } from "@hooklet/core/host";
import { admitDevices, type TopologyOptions } from "./admission.js";
import { applyOptions } from "./apply.js";
import { CHECKPOINT_NAME, decodeCheckpoint, encodeCheckpoint } from "./checkpoint/format.js";
import { LatestWriter } from "./checkpoint/writer.js";
import { containerDevices } from "./device/requests.js";
import { sanitizeAllocatable } from "./device/sanitize.js";
import { choiceDecision } from "./explain.js";
import type { Folders } from "./folders.js";
import { responseCodec } from "./grpc/convert.js";
import { HealthReporter } from "./health-reporter.js";
import type { DevicesIo } from "./io.js";
import { type Choice, DeviceManager, type ManagerPorts } from "./manager.js";
import type { DeviceMetrics } from "./metrics.js";
import type { DevicesOptions } from "./options.js";
import { PluginServers } from "./plugin-servers.js";
import { ANNOTATION, recoveredEntries, recoveryAnnotation } from "./recovery.js";
import { numaNodes, policyFault } from "./topology/machine.js";

type Running = PodAdmitEvent["running"];

export class DeviceService {
  readonly manager: DeviceManager;
  readonly ports: ManagerPorts;
  readonly health: HealthReporter;
  readonly servers: PluginServers;
  readonly #writer: LatestWriter;
  /** `podUid/container`, as the runtime reported when the agent started. */
  readonly #wasRunning = new Set<string>();
  readonly #openedAt: number;
  /** NUMA nodes, read at the opening. */
  #machineNodes: readonly number[] = [0];
  /** What the node has been told. */
  #declared: ReadonlyMap<string, string> = new Map();

  constructor(
    private readonly ctx: NodeContext,
    private readonly options: DevicesOptions,
    private readonly metrics: DeviceMetrics,
    private readonly folders: Folders,
    private readonly io: DevicesIo,
  ) {
    const { clock } = ctx;
    this.#openedAt = clock.monotonic();
    this.#writer = new LatestWriter(() => this.#write());
    this.ports = {
      now: () => clock.monotonic(),
      sourcesReady: () => ctx.pods.sourcesReady(),
      wasRunning: (podUid, container) => this.#wasRunning.has(`${podUid}/${container}`),
      activePods: () => ctx.pods.active().map(({ metadata }) => metadata.uid),
      machineNodes: () => this.#machineNodes,
      strategy: options.allocation,
      codec: responseCodec,
      save: () => this.#writer.save(),
      allocated: (resource, milliseconds) => metrics.allocated(resource, milliseconds),
      chosen: (choice) => this.#chosen(choice),
    };
    this.manager = new DeviceManager(this.ports);
    this.health = new HealthReporter(ctx, this.manager, options.onUnhealthy);
    this.servers = new PluginServers(ctx, folders, io, this.manager, metrics, {
      reported: (resource, changed) => {
        this.health.reported(resource, changed);
        this.changed();
      },
      changed: () => this.changed(),
    });
  }

  get topology(): TopologyOptions {
    const { topologyManagerPolicy: policy, topologyManagerScope: scope } = this.options;
    return { policy, scope, machineNodes: this.#machineNodes };
  }

  /** @throws Error when the machine cannot keep the policy, or the checkpoint cannot be read */
  async open({ containers }: NodeView): Promise<void> {
    this.#machineNodes = numaNodes(this.ctx.host.kernel);
    const fault = policyFault(this.options.topologyManagerPolicy, this.#machineNodes);
    if (fault !== undefined) throw new Error(fault);
    await this.#restore();
    this.#adopt(containers);
    this.declare();
    await this.servers.open();
  }

  /** A tap of podAdmit, stage check. */
  async admit(verdict: AdmissionVerdict, { pod, running }: PodAdmitEvent): Promise<AdmissionVerdict> {
    const { uid } = pod.metadata;
    if (running.length > 0) {
      this.#adopt(running);
      this.#raiseAllocatable(pod);
      this.health.show(pod);
      return verdict;
    }
    const away = this.#awaited(pod);
    if (away !== undefined) {
      return verdict.postpone({
        reason: "WaitingForDevicePlugin",
        message: `the device plugin of ${away} has not registered again since the agent's start`,
        retryAfterSeconds: 1,
      });
    }
    const began = this.ctx.clock.monotonic();
    const undo = this.manager.undoPoint(uid);
    verdict.undo(async () => {
      const changed = undo();
      this.declare();
      this.health.show(pod);
      if (changed) await this.#writer.save();
    });
    const rejection = await admitDevices(this.manager, pod, this.topology);
    this.metrics.admitted(this.ctx.clock.monotonic() - began, rejection !== undefined);
    if (rejection !== undefined) return verdict.reject(rejection);
    this.#raiseAllocatable(pod);
    this.health.show(pod);
    return verdict;
  }

  /** A tap of podAdmit after the predicates: what was raised for them is set right again. */
  admitted({ pod }: PodAdmitEvent): void {
    this.manager.endAdmission(pod.metadata.uid);
    this.declare();
  }

  /** A tap of containerStart. Rejects with the kubelet's text; the start is retried. */
  async start(plan: ContainerPlan, { pod, container }: ContainerStartEvent): Promise<void> {
    const { uid } = pod.metadata;
    if (this.health.needsOthers(uid, container.name)) this.manager.release(uid, container.name);
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
    this.health.show(pod);
  }

  /** No container of the pod runs any more. */
  async freed(podUid: string): Promise<void> {
    if (this.manager.free(podUid)) await this.#writer.save();
  }

  /** Every few seconds: pods that ended by themselves, plugins that have been gone for too long. */
  async refresh(): Promise<void> {
    if (this.manager.collectGarbage()) this.changed();
    else this.declare();
    this.health.flush();
    await this.servers.refresh();
  }

  /** The records or the resources have changed. */
  changed(): void {
    this.declare();
    this.#writer.save().catch((error: unknown) => this.ctx.log.error(errorText(error)));
  }

  /** Tells the node what there is. */
  declare(): void {
    const { capacity, allocatable, removed } = this.manager.capacity();
    // Of a resource that is no longer there the node keeps 0: it is known to be a device plugin's.
    for (const resource of removed) capacity[resource] = allocatable[resource] = 0;
    this.#declare(capacity, allocatable);
  }

  async stop(): Promise<void> {
    await this.servers.stop();
    this.manager.stop();
    await this.#writer.settled();
  }

  /** The predicates count what pods hold, also unhealthy devices: there must be room for what is allocated. */
  #raiseAllocatable(pod: Pod): void {
    if (!this.manager.records.hasPod(pod.metadata.uid)) return;
    const { capacity, allocatable } = this.manager.capacity();
    const { records } = this.manager;
    const used = Object.fromEntries(records.resourcesInUse().map((name) => [name, records.inUse(name).size]));
    this.#declare({ ...used, ...capacity }, sanitizeAllocatable(allocatable, used));
  }

  #declare(capacity: Readonly<Record<string, number>>, allocatable: Readonly<Record<string, number>>): void {
    const next = new Map(Object.keys(capacity).map((name) => [name, `${capacity[name]} ${allocatable[name] ?? 0}`]));
    for (const [name, amounts] of next) {
      if (this.#declared.get(name) === amounts) continue;
      this.ctx.node.setExtendedResource(name, { capacity: capacity[name] ?? 0, allocatable: allocatable[name] ?? 0 });
    }
    this.#declared = new Map([...this.#declared, ...next]);
  }

  /** A resource of the pod whose plugin was there before the agent's start, is not back, and may still come. */
  #awaited(pod: Pod): string | undefined {
    if (this.ctx.clock.monotonic() - this.#openedAt >= this.options.waitForPlugins * 1000) return undefined;
    const { inventory } = this.manager;
    return [...(pod.spec.initContainers ?? []), ...pod.spec.containers]
      .flatMap((container) => containerDevices(container, (resource) => inventory.get(resource)?.remembered === true))
      .find(([, count]) => count > 0)?.[0];
  }

  /** Containers that run have their devices, whatever the checkpoint and the plugins say. */
  #adopt(containers: Running): void {
    for (const { state, labels, annotations } of containers) {
      const [uid, name] = [labels[Labels.podUid] ?? "", labels[Labels.containerName] ?? ""];
      if (uid === "" || name === "" || state !== "CONTAINER_RUNNING") continue;
      this.#wasRunning.add(`${uid}/${name}`);
      if (this.manager.records.ofContainer(uid, name).length > 0) continue;
      const entries = recoveredEntries(uid, name, annotations[ANNOTATION]);
      const faults = this.manager.restore({ entries, registered: new Map() });
      for (const fault of faults) this.ctx.log.warn(`devices of a running container are not known: ${fault}`);
    }
  }

  async #restore(): Promise<void> {
    const path = join(this.folders.devicePlugins, CHECKPOINT_NAME);
    const text = await this.io.readCheckpoint(path);
    if (text === undefined) return;
    try {
      const faults = this.manager.restore(decodeCheckpoint(text));
      for (const fault of faults) this.ctx.log.error(`a record of ${path} is left out: ${fault}`);
    } catch (error) {
      const aside = await this.io.setAside(path);
      const words = `${path} is damaged (${errorText(error)}): it was set aside as ${aside}; records are made anew from running containers`;
      this.ctx.log.error(words);
      this.ctx.events.node("Warning", "DeviceCheckpointCorrupt", words);
    }
  }

  #write(): Promise<void> {
    const { devicePlugins } = this.folders;
    const text = encodeCheckpoint(this.manager.checkpoint());
    return this.io.writeCheckpoint(join(devicePlugins, CHECKPOINT_NAME), devicePlugins, text);
  }

  #chosen(choice: Choice): void {
    const name = strategyName(this.options.allocation) ?? "kubelet";
    this.ctx.decisions.record(choiceDecision(choice, name));
    if (choice.violation === undefined) return;
    const { pod, container, resource } = choice.input;
    const words = `allocation strategy "${name}" ${choice.violation} (${resource}): the kubelet's choice was taken`;
    this.ctx.events.pod(pod, "Warning", "AllocationStrategyFailed", words, container.name);
  }
}

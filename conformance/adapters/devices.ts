/** What the adapters of the device manager share: a manager whose plugins answer as a case says. */
import type { Container, Pod } from "@hooklet/core";
import type { Device, Question } from "@hooklet/plugin-devices";
import {
  type AllocateResponse,
  DeviceManager,
  type Endpoint,
  kubelet,
  type PluginOptions,
  responseCodec,
} from "@hooklet/plugin-devices/internal";
import { toPod } from "./pods.js";

export interface RawDevice {
  readonly id: string;
  readonly health?: string;
  /** One node or several. */
  readonly numa?: number | readonly number[] | null;
}

export type Limits = Readonly<Record<string, number>>;

export interface RawContainer {
  readonly name: string;
  readonly limits?: Limits;
  readonly restartPolicy?: string;
}

export const nothing: AllocateResponse = { envs: {}, mounts: [], devices: [], annotations: {}, cdiDevices: [] };

/** Throws for what a case says and its adapter does not know. */
export function knownKeys(input: object, keys: readonly string[]): void {
  const unknown = Object.keys(input).filter((key) => !keys.includes(key));
  if (unknown.length > 0) throw new Error(`this adapter does not know the input ${unknown.join(", ")}`);
}

export function toDevice({ id, health = "Healthy", numa, ...rest }: RawDevice): Device {
  knownKeys(rest, []);
  return { id, health, nodes: numa === undefined || numa === null ? [] : [numa].flat() };
}

/** Devices by id, as many cases have them: `{"dev1": {"numa": 0}}`. */
export function toDevices(raw: Readonly<Record<string, Omit<RawDevice, "id">>>): readonly Device[] {
  return Object.entries(raw).map(([id, device]) => toDevice({ id, ...device }));
}

export function toContainer({ name, limits = {}, restartPolicy }: RawContainer): Container {
  const texts = Object.fromEntries(Object.entries(limits).map(([resource, count]) => [resource, String(count)]));
  return { name, resources: { limits: texts }, ...(restartPolicy === undefined ? {} : { restartPolicy }) };
}

export function podOf(uid: string, containers: readonly RawContainer[], init: readonly RawContainer[] = []): Pod {
  return toPod({
    metadata: { uid, name: uid, namespace: "default" },
    spec: { containers: containers.map(toContainer), initContainers: init.map(toContainer) },
  });
}

export interface Answers {
  readonly options?: PluginOptions | undefined;
  allocate?(ids: readonly string[]): AllocateResponse | undefined;
  preferred?(question: Question): readonly string[] | undefined | Promise<readonly string[] | undefined>;
  preStart?(ids: readonly string[]): void;
}

export const willing: PluginOptions = { preStartRequired: false, getPreferredAllocationAvailable: true };

/** A plugin that answers at once. */
export function endpointOf(answers: Answers = {}): Endpoint & { stopped: boolean } {
  return {
    stopped: false,
    options: "options" in answers ? answers.options : willing,
    async allocate(ids) {
      const response = answers.allocate === undefined ? nothing : answers.allocate(ids);
      return { response, text: "&AllocateResponse{}" };
    },
    async preferredAllocation(question) {
      return answers.preferred?.(question);
    },
    async preStartContainer(ids) {
      answers.preStart?.(ids);
    },
    stop() {
      this.stopped = true;
    },
  };
}

/** What the world around the manager is at the moment. */
export interface World {
  /** Seconds. */
  now: number;
  sourcesReady: boolean;
  active: Set<string>;
  /** `pod/container`. */
  running: Set<string>;
  /** The checkpoint is due. */
  save(): void;
  machineNodes: readonly number[];
}

export function worldOf(parts: Partial<World> = {}): World {
  return {
    now: 0,
    sourcesReady: true,
    active: new Set(),
    running: new Set(),
    save: () => {},
    machineNodes: [0, 1, 2, 3],
    ...parts,
  };
}

export function managerOf(world: World): DeviceManager {
  return new DeviceManager({
    now: () => world.now * 1000,
    sourcesReady: () => world.sourcesReady,
    wasRunning: (podUid, container) => world.running.has(`${podUid}/${container}`),
    activePods: () => world.active,
    machineNodes: () => world.machineNodes,
    strategy: kubelet,
    codec: responseCodec,
    save: () => world.save(),
  });
}

/** Registers a resource and reports its devices. */
export function plug(
  manager: DeviceManager,
  resource: string,
  devices: readonly Device[],
  answers: Answers = {},
): void {
  manager.connected(resource, endpointOf(answers));
  manager.reported(resource, devices);
}

/** Puts devices into the records, as if they had been allocated. */
export function hold(
  manager: DeviceManager,
  pod: string,
  container: string,
  resource: string,
  ids: readonly string[],
): void {
  const byNode = new Map<number, string[]>();
  for (const id of ids) {
    const nodes = manager.inventory.device(resource, id)?.nodes ?? [];
    for (const node of nodes.length === 0 ? [-1] : nodes) byNode.set(node, [...(byNode.get(node) ?? []), id]);
  }
  const devices = byNode.size === 0 ? new Map([[-1, []]]) : byNode;
  manager.records.insert({
    podUid: pod,
    container,
    resource,
    devices,
    response: nothing,
    encoded: responseCodec.encode(nothing),
  });
}

/** The text of what `run` rejects with; null when it does not. */
export async function errorOf(run: () => unknown): Promise<string | null> {
  try {
    await run();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** An expected text: itself, or its `prefix` or `pattern`. Gives what `text` must be equal to. */
export function textFor(expected: unknown, text: string | null): unknown {
  if (typeof expected !== "object" || expected === null || text === null) return text;
  const { prefix, pattern } = expected as { readonly prefix?: string; readonly pattern?: string };
  if (prefix !== undefined) return text.startsWith(prefix) ? expected : text;
  return pattern !== undefined && new RegExp(pattern).test(text) ? expected : text;
}

/** The named parts of an answer only. */
export function only(answer: object, expected: object): object {
  return Object.fromEntries(Object.entries(answer).filter(([key]) => Object.hasOwn(expected, key)));
}

export function sorted(values: Iterable<string>): readonly string[] {
  return [...values].sort();
}

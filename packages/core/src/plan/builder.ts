import type { Device, LinuxContainerResources, Mount } from "@hooklet/cri-api";
import { MAX_WORD_BYTES } from "@hooklet/manifest";
import { invalid } from "@hooklet/utils";
import {
  absolute,
  annotationField,
  annotationName,
  Claims,
  cdiDevice,
  cdiDeviceField,
  cgroupField,
  cgroupFile,
  deviceField,
  envField,
  hugepageField,
  isSeenInside,
  mountField,
  resource,
  resourceField,
  text,
} from "./claims.js";
import type { AfterStart, ContainerPlan, PlanOwners } from "./contract.js";

/** Owner of the mounts in the manifest. */
export const MANIFEST = "the pod's manifest";

export interface PlanBase {
  readonly envs?: readonly { readonly key: string; readonly value: string }[];
  readonly mounts?: readonly Mount[];
  readonly devices?: readonly Device[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly resources?: LinuxContainerResources;
}

export interface PlanResult {
  /** The manifest's in their order, replaced in place; then what plugins added. */
  readonly envs: readonly { readonly key: string; readonly value: string }[];
  readonly mounts: readonly Mount[];
  readonly devices: readonly Device[];
  /** Qualified CDI names, in order of adding. */
  readonly cdiDevices: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly resources: LinuxContainerResources;
  readonly afterStart: readonly { readonly plugin: string; readonly run: AfterStart }[];
  readonly holdReady: boolean;
  readonly holdStarted: boolean;
  /** By plugin what it set of env, mounts and devices; without values, which may be secrets. */
  readonly set: ReadonlyMap<string, readonly string[]>;
}

/**
 * Collects what `containerStart` taps add to one container. Values from the manifest have no owner until a plugin claims
 * them, except mounts and devices: a path is claimed once for all.
 */
export class ContainerPlanBuilder implements PlanOwners {
  readonly #claims = new Claims();
  readonly #envs = new Map<string, string>();
  readonly #mounts = new Map<string, Mount>();
  readonly #devices = new Map<string, Device>();
  readonly #cdiDevices = new Set<string>();
  readonly #annotations: Map<string, string>;
  readonly #resources: Map<string, unknown>;
  readonly #unified: Map<string, string>;
  readonly #hugepages: Map<string, number>;
  readonly #afterStart: { plugin: string; run: AfterStart }[] = [];
  #holdReady = false;
  #holdStarted = false;

  constructor(base: PlanBase = {}) {
    const { unified, hugepageLimits, ...resources } = base.resources ?? {};
    for (const { key, value } of base.envs ?? []) this.#envs.set(key, value);
    for (const mount of base.mounts ?? []) this.#addMount(mount, MANIFEST);
    for (const device of base.devices ?? []) this.#addDevice(device, MANIFEST);
    this.#annotations = new Map(Object.entries(base.annotations ?? {}));
    this.#resources = new Map(Object.entries(resources));
    this.#unified = new Map(Object.entries(unified ?? {}));
    this.#hugepages = new Map(hugepageLimits?.map(({ pageSize, limit }) => [pageSize, limit]));
  }

  /** The plan as `plugin` sees it; every method throws once `signal` is aborted. */
  as(plugin: string, signal?: Pick<AbortSignal, "aborted">): ContainerPlan {
    const own =
      <Arguments extends readonly unknown[]>(set: (...args: Arguments) => void) =>
      (...args: Arguments): void => {
        if (signal?.aborted) {
          throw invalid(`The container plan of plugin "${plugin}"`, "calls while its tap runs", "a call after that");
        }
        set(...args);
      };
    return {
      setEnv: own((name: string, value: string) => this.#setEnv(name, value, plugin)),
      addDevice: own((device: Device) => this.#addDevice(device, plugin)),
      addCdiDevice: own((name: string) => {
        cdiDevice(name);
        this.#claims.claim(cdiDeviceField(name), plugin);
        this.#cdiDevices.add(name);
      }),
      addMount: own((mount: Mount) => this.#addMount(mount, plugin)),
      setAnnotation: own((name: string, value: string) => this.#setAnnotation(name, value, plugin)),
      setResource: own((name: string, value: unknown) => this.#setResource(name, value, plugin)),
      setUnified: own((file: string, value: string) => this.#setUnified(file, value, plugin)),
      afterStart: own((run: AfterStart) => {
        if (typeof run !== "function") throw invalid("afterStart", "a function", run);
        this.#afterStart.push({ plugin, run });
      }),
      holdReady: own(() => {
        this.#holdReady = true;
      }),
      holdStarted: own(() => {
        this.#holdStarted = true;
      }),
    };
  }

  result(): PlanResult {
    const hugepageLimits = [...this.#hugepages].map(([pageSize, limit]) => ({ pageSize, limit }));
    return {
      envs: [...this.#envs].map(([key, value]) => ({ key, value })),
      mounts: [...this.#mounts.values()],
      devices: [...this.#devices.values()],
      cdiDevices: [...this.#cdiDevices],
      annotations: Object.fromEntries(this.#annotations),
      resources: {
        ...Object.fromEntries(this.#resources),
        ...(hugepageLimits.length > 0 && { hugepageLimits }),
        ...(this.#unified.size > 0 && { unified: Object.fromEntries(this.#unified) }),
      },
      afterStart: [...this.#afterStart],
      holdReady: this.#holdReady,
      holdStarted: this.#holdStarted,
      set: this.#set(),
    };
  }

  #set(): PlanResult["set"] {
    const all = [...this.#claims.owned].flatMap(([owner, fields]): [string, readonly string[]][] => {
      const shown = fields.filter(isSeenInside).map(({ text }) => text);
      return owner === MANIFEST || shown.length === 0 ? [] : [[owner, shown]];
    });
    return new Map(all);
  }

  #setEnv(name: string, value: string, plugin: string): void {
    if (typeof name !== "string" || name === "" || /[=\0]/.test(name)) {
      throw invalid("Name of an env variable", "a text without = and NUL", name);
    }
    text(`env ${name}`, value);
    if (Buffer.byteLength(name) + Buffer.byteLength(value) + 1 > MAX_WORD_BYTES) {
      throw invalid(
        `env ${name}`,
        `at most ${MAX_WORD_BYTES} bytes with its name`,
        `${Buffer.byteLength(value)} bytes`,
      );
    }
    this.#claims.claim(envField(name), plugin);
    this.#envs.set(name, value);
  }

  #addMount(mount: Mount, owner: string): void {
    const containerPath = absolute("containerPath of a mount", mount?.containerPath);
    absolute(`hostPath of mount ${containerPath}`, mount.hostPath);
    this.#claims.claim(mountField(containerPath), owner);
    this.#mounts.set(containerPath, { ...mount, containerPath });
  }

  #addDevice(device: Device, owner: string): void {
    const containerPath = absolute("containerPath of a device", device?.containerPath);
    absolute(`hostPath of device ${containerPath}`, device.hostPath);
    if (!/^(?!.*(.).*\1)[rwm]{1,3}$/.test(device.permissions)) {
      throw invalid(`permissions of device ${containerPath}`, "any of r, w, m", device.permissions);
    }
    this.#claims.claim(deviceField(containerPath), owner);
    this.#devices.set(containerPath, { ...device, containerPath });
  }

  #setAnnotation(name: string, value: string, plugin: string): void {
    annotationName(name);
    text(`annotation ${name}`, value);
    this.#claims.claim(annotationField(name), plugin);
    this.#annotations.set(name, value);
  }

  #setResource(name: string, value: unknown, plugin: string): void {
    if (name === "unified") {
      for (const [file, content] of Object.entries(value as Record<string, string>)) {
        this.#setUnified(file, content, plugin);
      }
    } else if (name === "hugepageLimits") {
      for (const { pageSize, limit } of value as readonly { pageSize: string; limit: number }[]) {
        this.#claims.claim(hugepageField(pageSize), plugin);
        this.#hugepages.set(pageSize, limit);
      }
    } else {
      resource(name, value);
      this.#claims.claim(resourceField(name), plugin);
      this.#resources.set(name, value);
    }
  }

  #setUnified(file: string, value: string, plugin: string): void {
    cgroupFile(file, value);
    this.#claims.claim(cgroupField(file), plugin);
    this.#unified.set(file, value);
  }
}

/** The node: its resources, with those of device plugins, and the facts that the predicates need. */

import os from "node:os";
import { hugePages, meminfoBytes } from "@hooklet/linux";
import { isExtendedResource, quantityOf, type Resources, toResources } from "@hooklet/manifest";
import { errorText, hostUnavailable, invalid } from "@hooklet/utils";
import type { NodeConfig } from "../config/agent-config.js";
import type { NodeFacts } from "../plugin/contract/node.js";
import type { Host, NodePort } from "../plugin/contract.js";
import { NodeAdditions } from "./additions.js";
import { type MachineFacts, machineCapacity, type NodeAmounts, nodeAmounts } from "./capacity.js";
import { parseReservations } from "./reservation.js";

interface NodeInit {
  readonly config: NodeConfig;
  readonly rootDir: string;
  readonly machine: MachineFacts;
  readonly platform: { readonly os: string; readonly arch: string };
  /** The address used when the configuration names none. */
  readonly address: string;
}

/** More than any machine has, and far from where numbers lose whole units. */
const MAX_DEVICES = 1_000_000_000;

/** What the node is and has; as plugins see it: ports.ts. */
export class Node {
  readonly name: string;
  /** What plugins add to labels and taints. */
  readonly additions: NodeAdditions;
  readonly rootDir: string;
  readonly evictionHard: Readonly<Record<string, string>>;
  /** Without the eviction threshold. */
  readonly reserved: ReturnType<NodePort["reserved"]>;
  readonly ip: string;
  readonly os: string;
  readonly arch: string;
  readonly #machine: NodeAmounts;
  readonly #extended = new Map<string, { readonly capacity: number; readonly allocatable: number }>();
  #facts: NodeFacts | undefined;

  /** @throws NodeAgentError naming the setting that is malformed, or reserves more than there is */
  constructor(init: NodeInit) {
    const { config, platform } = init;
    this.name = config.name;
    this.rootDir = init.rootDir;
    this.evictionHard = config.evictionHard;
    const labels = nodeLabels(config.name, platform, config.labels);
    this.additions = new NodeAdditions({ labels, taints: config.taints }, () => {
      this.#facts = undefined;
    });
    this.ip = config.ip ?? init.address;
    this.os = platform.os;
    this.arch = platform.arch;
    const capacity = machineCapacity(init.machine, config.maxPods, config.capacity);
    const reservations = parseReservations(config);
    this.#machine = nodeAmounts(capacity, reservations);
    this.reserved = {
      systemReserved: toResources(reservations.systemReserved),
      kubeReserved: toResources(reservations.kubeReserved),
      reservedSystemCPUs: config.reservedSystemCPUs,
    };
  }

  get labels(): Readonly<Record<string, string>> {
    return this.facts().labels;
  }

  capacity(): Resources {
    return toResources(this.amounts().capacity);
  }

  allocatable(): Resources {
    return this.facts().allocatable;
  }

  /** Exact amounts, for the status of the node. */
  amounts(): NodeAmounts {
    const capacity = new Map(this.#machine.capacity);
    const allocatable = new Map(this.#machine.allocatable);
    for (const [name, amount] of this.#extended) {
      capacity.set(name, quantityOf(amount.capacity));
      allocatable.set(name, quantityOf(amount.allocatable));
    }
    return { capacity, allocatable };
  }

  setExtendedResource(
    name: string,
    amount: { readonly capacity: number; readonly allocatable: number } | undefined,
  ): void {
    if (!isExtendedResource(name)) {
      throw invalid("setExtendedResource", 'the name of an extended resource such as "vendor.example/gpu"', name);
    }
    if (amount && !(isCount(amount.capacity) && isCount(amount.allocatable))) {
      throw invalid(`setExtendedResource("${name}")`, `whole numbers from 0 to ${MAX_DEVICES}`, amount);
    }
    if (amount) this.#extended.set(name, { capacity: amount.capacity, allocatable: amount.allocatable });
    else this.#extended.delete(name);
    this.#facts = undefined;
  }

  /** What the predicates know; the same object until a resource, label or taint changes. */
  facts(): NodeFacts {
    this.#facts ??= {
      name: this.name,
      labels: this.additions.labels(),
      taints: this.additions.taints(),
      allocatable: toResources(this.amounts().allocatable),
      os: this.os,
    };
    return this.#facts;
  }
}

/** The node of this machine. `rootDir` must exist. @throws NodeAgentError as the constructor does */
export async function readNode(host: Host, config: NodeConfig, rootDir: string): Promise<Node> {
  return new Node({
    config,
    rootDir,
    machine: await readMachine(host, rootDir),
    platform: readPlatform(),
    address: readAddress(),
  });
}

function isCount(amount: number): boolean {
  return Number.isInteger(amount) && amount >= 0 && amount <= MAX_DEVICES;
}

const OS = "kubernetes.io/os";
const ARCH = "kubernetes.io/arch";

/** `own` labels win over the kubelet's. */
function nodeLabels(
  name: string,
  platform: { readonly os: string; readonly arch: string },
  own: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  return {
    "kubernetes.io/hostname": name,
    [OS]: platform.os,
    [ARCH]: platform.arch,
    [`beta.${OS}`]: platform.os,
    [`beta.${ARCH}`]: platform.arch,
    ...own,
  };
}

// Reads what the machine has, through the host.

/**
 * Processors, memory, huge pages, and the disk under `rootDir` (which must exist).
 * @throws NodeAgentError HOST_UNAVAILABLE when the disk cannot be read
 */
export async function readMachine(host: Host, rootDir: string, hugePagesDir?: string): Promise<MachineFacts> {
  return {
    cpus: host.cpus,
    memoryBytes: meminfoBytes(host.kernel.read("/proc/meminfo") ?? "", "MemTotal") ?? os.totalmem(),
    diskBytes: await diskCapacity(host, rootDir),
    hugePages: hugePages(host.kernel, hugePagesDir),
  };
}

async function diskCapacity(host: Host, directory: string): Promise<number> {
  try {
    return (await host.statfs(directory)).capacityBytes;
  } catch (cause) {
    const what = `The size of the disk under ${directory} could not be read: ${errorText(cause)}`;
    throw hostUnavailable(`${what}. Expected a directory that exists`, { cause });
  }
}

// biome-ignore format: one platform per line
const GOARCH: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386", ppc64: "ppc64le", mipsel: "mipsle" };

/** GOOS and GOARCH of this machine. */
export function readPlatform({ platform, arch }: Pick<NodeJS.Process, "platform" | "arch"> = process): {
  readonly os: string;
  readonly arch: string;
} {
  return { os: platform === "win32" ? "windows" : platform, arch: GOARCH[arch] ?? arch };
}

/** The first address that others can reach: IPv4 before IPv6, 127.0.0.1 where there is none. */
export function readAddress(interfaces = os.networkInterfaces()): string {
  const outer = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !isLinkLocal(address));
  const first = outer.find(({ family }) => family === "IPv4") ?? outer[0];
  return first?.address ?? "127.0.0.1";
}

function isLinkLocal(address: string): boolean {
  return address.startsWith("169.254.") || /^fe[89ab][0-9a-f]:/i.test(address);
}

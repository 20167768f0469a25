/** The plugin's parts on real cgroups below a root of their own. */

import type { NodeContext, Pod } from "@hooklet/core";
import { MetricRegistries } from "@hooklet/core/internal";
import { type CgroupLayout, parseList, readCgroupLayout } from "@hooklet/core/rules";
import {
  applyPlan,
  type CgroupFiles,
  CgroupManager,
  ensureCgroup,
  hostFiles,
  linear,
  MovedProcesses,
  type NodeRules,
  nodeRules,
  podPath,
  podPlan,
  removePodCgroup,
} from "@hooklet/plugin-cgroups/internal";
import {
  cadvisorFamilies,
  cadvisorSamples,
  cpuTimesOf,
  type MeasuredPod,
  podStatistics,
  readNodeUsage,
  readProcessCounts,
  readTree,
  resourceFamilies,
  resourceSamples,
} from "@hooklet/plugin-stats/internal";
import { systemClock } from "@hooklet/utils";

type Host = NodeContext["host"];

/** As many as the plugin keeps open for each of both purposes. */
const OPEN_FILES = 4_096;
const ROOT = `/hooklet-bench-${process.pid}`;
/** A sandbox and a container, as a runtime makes them. */
const CONTAINERS = ["sandbox", "main"];

export class CgroupBench {
  writes = 0;
  readonly #manager: CgroupManager;
  readonly #strays: MovedProcesses;
  readonly #reader;
  readonly #pages = new MetricRegistries(systemClock, (where, error) => {
    throw new Error(where, { cause: error });
  });
  #scraped: readonly Pod[] = [];

  private constructor(
    /** As the plugin has them: what is read stays open. */
    private readonly files: CgroupFiles,
    private readonly plain: CgroupFiles,
    private readonly layout: CgroupLayout,
    private readonly rules: NodeRules,
    host: Host,
  ) {
    this.#reader = host.kernel.reader(OPEN_FILES);
    this.#offerPages();
    const nothing = (): void => undefined;
    const reports = {
      repaired: nothing,
      refused: ({ message }: { readonly message: string }) => {
        throw new Error(message);
      },
      removedOrphan: nothing,
      foreign: nothing,
      failedRemoval: nothing,
      took: nothing,
    };
    this.#strays = new MovedProcesses(files, layout);
    this.#manager = new CgroupManager({ files, layout, rules, clock: systemClock, reports, ownedChanged: nothing });
  }

  /** Undefined where cgroups cannot be made. */
  static create(host: Host, mountinfo: string): CgroupBench | undefined {
    const layout = readCgroupLayout(mountinfo);
    if (layout === undefined) return undefined;
    const plain = hostFiles(host);
    try {
      ensureCgroup(plain, layout, ROOT);
    } catch {
      return undefined;
    }
    let bench: CgroupBench | undefined;
    const write = (path: string, value: string): void => {
      if (bench !== undefined) bench.writes++;
      plain.write(path, value);
    };
    const kept = host.kernel.reader(OPEN_FILES);
    bench = new CgroupBench(
      { ...plain, read: (path) => kept.read(path), write },
      plain,
      layout,
      rulesFor(layout),
      host,
    );
    return bench;
  }

  async ensure(pods: readonly Pod[]): Promise<void> {
    for (const pod of pods) {
      const path = await this.#manager.ensurePod(pod);
      for (const name of CONTAINERS) ensureCgroup(this.files, this.layout, `${path}/${name}`);
    }
  }

  reconcile(pods: readonly Pod[]): Promise<void> {
    return this.#manager.reconcile(pods);
  }

  /** The rest of the minute: pods that are gone, and processes that were moved. */
  async lookAround(pods: readonly Pod[]): Promise<void> {
    const known = new Set(pods.map(({ metadata }) => metadata.uid));
    await this.#manager.removeOrphans(known, async () => known);
    const containers = pods.flatMap((pod) =>
      CONTAINERS.map((container) => {
        const { uid } = pod.metadata;
        return { id: `${uid}/${container}`, podUid: uid, container, path: `${podPath(pod, this.rules)}/${container}` };
      }),
    );
    await this.#strays.look(containers, async ({ path }) => {
      throw new Error(`${path} was said to be gone`);
    });
  }

  /** The naive way: every file is written, whatever it holds. */
  async writeAll(pods: readonly Pod[]): Promise<void> {
    const blind = { ...this.plain, read: () => undefined };
    for (const pod of pods) await applyPlan(blind, this.layout, podPlan(pod, this.rules));
  }

  readKept(pods: readonly Pod[]): unknown {
    return readTree(this.#reader, this.layout, this.#input(pods), 0);
  }

  readOpened(pods: readonly Pod[]): unknown {
    return readTree(this.plain, this.layout, this.#input(pods), 0);
  }

  /** A whole page as it goes over HTTP: reading, samples, text. */
  async scrape(page: "/metrics/resource" | "/metrics/cadvisor", pods: readonly Pod[]): Promise<number> {
    this.#scraped = pods;
    const { body = "" } = (await this.#pages.render(page)) ?? {};
    if (!body.includes("container_memory_working_set_bytes{")) throw new Error(`${page} shows no containers`);
    return body.length;
  }

  #offerPages(): void {
    const metrics = this.#pages.forOwner("bench");
    const reading = () => ({
      tree: readTree(this.#reader, this.layout, this.#input(this.#scraped), 0),
      node: readNodeUsage(this.#reader, this.layout, 0),
    });
    const measured = () => this.#scraped.map((pod): MeasuredPod => ({ pod, containers: CONTAINERS.map(containerOf) }));
    metrics.collect(resourceFamilies, () => resourceSamples(reading(), measured()));
    metrics.collect(cadvisorFamilies, () => {
      const found = reading();
      const paths = [...found.tree.byPod.values()].flatMap(({ containers }) =>
        [...containers.values()].map(({ path }) => path),
      );
      return cadvisorSamples({
        reading: found,
        pods: measured(),
        networks: new Map(),
        disks: { disks: new Map(), layers: new Map() },
        processes: readProcessCounts(this.#reader, this.layout, paths),
        oomKills: () => 0,
      });
    });
  }

  /** A reading as /stats/summary has it, with what was measured of the disks. */
  summary(pods: readonly Pod[]): unknown {
    const tree = readTree(this.#reader, this.layout, this.#input(pods), 0);
    const measured = pods.map((pod): MeasuredPod => ({ pod, containers: CONTAINERS.map(containerOf) }));
    const usage = { at: 0, usedBytes: 4096, inodesUsed: 1 };
    const disk = {
      logs: new Map(CONTAINERS.map((name) => [name, usage])),
      podLogs: undefined,
      volumes: [],
      ownFiles: usage,
    };
    const disks = new Map(pods.map(({ metadata }) => [metadata.uid, disk]));
    const layers = new Map(CONTAINERS.map((id) => [id, usage]));
    const fileSystem = { device: "8:1", capacityBytes: 2 ** 40, availableBytes: 2 ** 39 };
    return JSON.stringify(
      podStatistics({
        tree,
        before: cpuTimesOf(tree, undefined),
        pods: measured,
        networks: new Map(),
        disks: { disks, layers },
        nodeFs: fileSystem,
        containerFs: fileSystem,
        swapBytes: 0,
      }),
    );
  }

  async remove(): Promise<void> {
    this.#reader.close();
    await removePodCgroup(this.files, this.layout, ROOT, systemClock);
  }

  #input(pods: readonly Pod[]) {
    return {
      kubepods: `${ROOT}/kubepods`,
      qosPaths: {
        Guaranteed: `${ROOT}/kubepods`,
        Burstable: `${ROOT}/kubepods/burstable`,
        BestEffort: `${ROOT}/kubepods/besteffort`,
      },
      pods: pods.map((pod) => ({ uid: pod.metadata.uid, path: podPath(pod, this.rules), containers: CONTAINERS })),
      containerName: (id: string) => id,
    };
  }
}

function containerOf(id: string): MeasuredPod["containers"][number] {
  return { name: id, id, startedAt: 0 };
}

function rulesFor({ version }: CgroupLayout): NodeRules {
  return nodeRules(
    {
      cgroupRoot: ROOT,
      cgroupsPerQOS: true,
      enforceNodeAllocatable: ["pods"],
      systemReservedCgroup: "",
      kubeReservedCgroup: "",
      podPidsLimit: 1024,
      cpuCFSQuota: true,
      cpuCFSQuotaPeriod: 0.1,
      memorySwap: { swapBehavior: "" },
      memoryThrottlingFactor: null,
      memoryReservationPolicy: "None",
      qosReserved: {},
      singleProcessOOMKill: null,
      burst: false,
      memoryHighPressure: null,
      cpuManagerPolicy: "none",
      cpuManagerPolicyOptions: {},
      cpuManagerReconcilePeriod: 10,
    },
    {
      version,
      driver: "cgroupfs",
      capacity: parseList({ cpu: "64", memory: "256Gi" }),
      systemReserved: new Map(),
      kubeReserved: new Map(),
      pageSize: 4096,
      hugePageSizes: [],
      hugetlb: false,
      swapControllerAvailable: false,
      swapCapacity: 0,
    },
    { strategy: linear, name: "linear" },
  );
}

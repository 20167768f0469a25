/** Readings of the machine and the runtime as tests want them. */
import type { OwnReadings } from "../src/readings/own.js";
import { pod } from "./pods.js";

export const disk = { device: "8:1", capacityBytes: 1000, availableBytes: 400, inodes: 10, inodesFree: 4, at: 0 };
export const limited = pod("limited", {}, { spec: { volumes: [volume("data", "1Gi"), volume("cache", undefined)] } });
export const plain = pod("plain");

function volume(name: string, sizeLimit: string | undefined) {
  return { name, emptyDir: sizeLimit === undefined ? {} : { sizeLimit } };
}

/** Of a node on which nothing runs; what is measured is written down. */
export function readings(parts: Partial<OwnReadings> = {}): OwnReadings & { readonly measured: string[] } {
  const measured: string[] = [];
  return {
    measured,
    now: () => 0,
    pause: async () => undefined,
    kernel: { read: () => undefined, directories: () => [] },
    podsCgroup: "",
    hierarchy: undefined,
    fileSystems: async () => ({ node: disk, image: disk, container: disk }),
    listContainerStats: async () => [],
    volumeDirectories: (uid) => ["data", "cache"].map((name) => ({ name, path: `/${uid}/${name}` })),
    podLogsDir: async () => "/logs",
    diskUsage: async (path) => {
      measured.push(path);
      return { usedBytes: 77, inodesUsed: 3 };
    },
    unmeasured: (path) => void measured.push(`not ${path}`),
    ...parts,
  };
}

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Pod } from "@hooklet/manifest";
import { VirtualClock } from "@hooklet/testkit";
import { type VolumeCalls, volumeCallsHere } from "@hooklet/volumes";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ProvidedVolumes } from "../../../../src/pod/life/provided-volumes.js";
import { PodVolumes, type PodVolumesOptions } from "../../../../src/pod/life/volumes.js";
import { aContainer, aPod } from "../../../pod/pods.js";

let rootDir: string;
let calls: [name: string, argument: Record<string, unknown>][];
beforeEach(() => {
  rootDir = mkdtempSync(path.join(tmpdir(), "hooklet-volumes-"));
  calls = [];
});
afterEach(() => rmSync(rootDir, { recursive: true, force: true }));

const { signal } = new AbortController();
const uid = "u1";
const podWith = (volumes: readonly object[], spec: object = {}): Pod =>
  aPod({ volumes: volumes.map((kind, at) => ({ name: `v${at}`, ...kind })), ...spec }, { uid });

/** Volumes whose paths are not touched; `answer`: what a call gives. */
function volumes(options: PodVolumesOptions = {}, answer: (name: string) => unknown = () => "/bound"): PodVolumes {
  const call = (name: string) => async (argument: Record<string, unknown>) => {
    calls.push([name, argument]);
    return answer(name);
  };
  const own = Object.keys(volumeCallsHere).map((name) => [name, call(name)]);
  const noted = { ...Object.fromEntries(own), mountsMemory: false, memoryDir: "/shm" } as unknown as VolumeCalls;
  return new PodVolumes(rootDir, { calls: noted, ...options });
}

function provided(provider: object | undefined = { prepare: async () => undefined }): ProvidedVolumes {
  return new ProvidedVolumes({ volumesOf: () => provider as never }, new VirtualClock());
}

const made = (): readonly object[] => calls.filter(([name]) => name === "makeVolume").map(([, what]) => what);

test("the directory of a pod is entered by the agent alone", async () => {
  await volumes().prepare(podWith([]), signal);
  expect(statSync(path.join(rootDir, "pods", uid)).mode & 0o777).toBe(0o700);
});

describe("an emptyDir", () => {
  const steps = ["volumes", "kubernetes.io~empty-dir", "v0"];
  const memory = () => ({ rootDir, mounts: false, sharedDir: "/shm" });

  test.each<[string, object, object, object]>([
    ["is open to all", { emptyDir: {} }, {}, { medium: "disk", mode: 0o777 }],
    ["belongs to the pod's group", { emptyDir: {} }, { fsGroup: 7 }, { medium: "disk", mode: 0o2777, group: 7 }],
    ["in memory is sticky", { emptyDir: { medium: "Memory" } }, {}, { medium: "memory", mode: 0o1777 }],
    [
      "in memory has its size and the pod's group",
      { emptyDir: { medium: "Memory", sizeLimit: "1Ki" } },
      { fsGroup: 7 },
      { medium: "memory", mode: 0o3777, group: 7, size: 1024 },
    ],
    [
      "of another medium lies on the disk",
      { emptyDir: { medium: "HugePages", sizeLimit: "1Ki" } },
      {},
      { medium: "disk", mode: 0o777 },
    ],
  ])("%s", async (_, volume, securityContext, expected) => {
    await volumes().prepare(podWith([volume], { securityContext }), signal);
    expect(made()).toEqual([{ ...expected, steps, uid, memory: memory() }]);
  });

  test("in memory is no larger than what pods may have of the node", async () => {
    await volumes({ allocatableMemory: () => 512 }).prepare(podWith([{ emptyDir: { medium: "Memory" } }]), signal);
    expect(made()).toMatchObject([{ size: 512 }]);
  });
});

describe("a volume that a plugin fills", () => {
  test.each<[object, object]>([
    [{ configMap: { name: "c" } }, { medium: "disk", mode: 0o777 }],
    [{ secret: { secretName: "s" } }, { medium: "memory", mode: 0o1777 }],
    [{ csi: { driver: "d" } }, { medium: "disk", mode: 0o750 }],
  ])("of %j is made before: %j", async (volume, expected) => {
    await volumes({ provided: provided() }).prepare(podWith([volume]), signal);
    expect(made()).toMatchObject([{ ...expected, uid }]);
  });

  test("is none without plugins", async () => {
    await volumes().prepare(podWith([{ configMap: { name: "c" } }]), signal);
    expect(calls).toEqual([]);
  });

  test.each<[object, string]>([
    [{ nfs: { server: "a" }, cephfs: {} }, "nfs, cephfs"],
    [{}, "it names no kind of volume"],
  ])("of %j has no plugin", async (volume, kinds) => {
    await expect(volumes({ provided: provided() }).prepare(podWith([volume]), signal)).rejects.toThrow(
      `MountVolume.SetUp failed for volume "v0" : no volume plugin matched: ${kinds}`,
    );
  });
});

test("the error of a volume that cannot be made names it", async () => {
  const failing = (error: unknown) =>
    volumes({}, () => {
      throw error;
    }).prepare(podWith([{ hostPath: { path: "/srv" } }]), signal);
  const text = 'MountVolume.SetUp failed for volume "v0" : no such directory';
  await expect(failing(new Error("no such directory"))).rejects.toMatchObject({ name: "VolumeError", message: text });
  await expect(failing("no such directory")).rejects.toMatchObject({ name: "VolumeError", message: text });
});

describe("volumes are made again", () => {
  const pod = podWith([{ emptyDir: {} }, { configMap: { name: "c" } }]);

  test("when the pod's directory is gone, and not while it is there", async () => {
    const own = volumes();
    await own.restore(pod, signal);
    expect(made()).toHaveLength(1);
    await own.restore(pod, signal);
    expect(made()).toHaveLength(1);
  });

  test("when a plugin has not filled them in this life of the agent", async () => {
    await volumes().restore(pod, signal);
    const later = volumes({ provided: provided() });
    await later.restore(pod, signal);
    expect(made()).toHaveLength(3);
    await later.restore(pod, signal);
    expect(made()).toHaveLength(3);
  });
});

describe("a hostPath", () => {
  const pod = podWith([{ hostPath: { path: "/srv/", type: "Directory" } }]);
  const main = aContainer("main", { volumeMounts: [{ name: "v0", mountPath: "/data" }] });
  const sourceOf = async (own: PodVolumes) => (await own.mounts(pod, main, new Map()))[0]?.hostPath;

  test("is checked for its type, and mounted as it is", async () => {
    const own = volumes();
    await own.prepare(pod, signal);
    expect(calls).toEqual([["prepareHostPath", { path: "/srv/", type: "Directory" }]]);
    expect(await sourceOf(own)).toBe("/srv");
    expect(await sourceOf(volumes({ allowedHostPaths: () => null }))).toBe("/srv");
  });

  test("of a source with allowed folders is bound in place of that, again for each container", async () => {
    const own = volumes({ allowedHostPaths: () => ["/srv"] });
    await own.prepare(pod, signal);
    expect(await sourceOf(own)).toBe("/bound");
    const podDir = path.join(rootDir, "pods", uid);
    const call = [
      "mountAllowed",
      { podDir, volume: "v0", source: { path: "/srv/", type: "Directory" }, allowed: ["/srv"] },
    ];
    expect(calls).toEqual([call, call]);
  });

  test("that was swapped since is refused, with its volume", async () => {
    const own = volumes({ allowedHostPaths: () => [] }, () => {
      throw new Error("it leaves /srv");
    });
    await expect(sourceOf(own)).rejects.toThrow('MountVolume.SetUp failed for volume "v0" : it leaves /srv');
  });
});

describe("the mounts of a container", () => {
  const pod = podWith([{ emptyDir: {} }, { secret: { secretName: "s" } }]);
  const place = (): string => path.join(rootDir, "pods", uid, "volumes/kubernetes.io~empty-dir/v0");
  const mounts = (own: PodVolumes, more: object, env = new Map<string, string>()) =>
    own.mounts(pod, aContainer("main", { volumeMounts: [{ name: "v0", mountPath: "/data", ...more }] }), env);

  test("a mount path that is not absolute, which the API lets through, is one from the container's root", async () => {
    const volumeMounts = ["data", "/data", "../../etc"].map((mountPath) => ({ name: "v0", mountPath }));
    const all = await volumes().mounts(pod, aContainer("main", { volumeMounts }), new Map());
    expect(all.map(({ containerPath }) => containerPath)).toEqual(["/data", "/data", "/../../etc"]);
  });

  test("none are none", async () => {
    expect(await volumes().mounts(pod, aContainer("main"), new Map())).toEqual([]);
  });

  test("are written to, and private, by default", async () => {
    const [mount] = await mounts(volumes(), {});
    expect(mount).toEqual({
      containerPath: "/data",
      hostPath: place(),
      readonly: false,
      selinuxRelabel: false,
      propagation: "PRIVATE",
    });
  });

  test.each<[object, boolean]>([
    [{ readOnly: true }, true],
    [{ readOnly: false }, false],
    [{ name: "v1" }, true],
  ])("of %j are read-only: %p", async (more, readonly) => {
    expect(await mounts(volumes({ provided: provided() }), more)).toMatchObject([{ readonly }]);
  });

  test.each<[string, string]>([
    ["None", "PRIVATE"],
    ["HostToContainer", "HOST_TO_CONTAINER"],
    ["Bidirectional", "BIDIRECTIONAL"],
  ])("with the propagation %s are %s", async (mountPropagation, propagation) => {
    expect(await mounts(volumes(), { mountPropagation })).toMatchObject([{ propagation }]);
  });

  test("are read-only with all below them where the pod's RuntimeClass can", async () => {
    const asked = { readOnly: true, recursiveReadOnly: "IfPossible" };
    expect((await mounts(volumes({ recursiveReadOnlyHandlers: [""] }), asked))[0]?.recursiveReadOnly).toBe(true);
    expect((await mounts(volumes({ recursiveReadOnlyHandlers: ["kata"] }), asked))[0]).not.toHaveProperty(
      "recursiveReadOnly",
    );
    await expect(mounts(volumes(), { ...asked, recursiveReadOnly: "Enabled" })).rejects.toThrow(
      'failed to resolve recursive read-only mode: volume "v0" requested recursive read-only mode, but it is not supported by the runtime',
    );
  });

  test("of a sub path are those of the place that was opened for it", async () => {
    const env = new Map([["WHO", "a"]]);
    expect(await mounts(volumes(), { subPathExpr: "logs/$(WHO)" }, env)).toMatchObject([{ hostPath: "/bound" }]);
    const podDir = path.join(rootDir, "pods", uid);
    const where = { volume: "v0", container: "main", index: 0 };
    expect(calls).toEqual([["mountSource", { podDir, where, volumePath: place(), subPath: "logs/a" }]]);
  });

  test("of a sub path that cannot be opened fail with volume and container", async () => {
    const own = volumes({}, () => {
      throw new Error("it leaves the volume");
    });
    await expect(mounts(own, { subPath: "a" })).rejects.toThrow(
      'failed to prepare subPath for volumeMount "v0" of container "main": it leaves the volume',
    );
  });

  test("of a volume that the pod does not have fail", async () => {
    await expect(mounts(volumes(), { name: "v9" })).rejects.toThrow(
      `MountVolume.SetUp failed for volume "v9" : pod web-node1_default(${uid}) has no such volume`,
    );
  });
});

describe("at a pod's end", () => {
  test("its emptyDirs are emptied; a pod without them costs nothing", async () => {
    await volumes().clear(podWith([{ hostPath: { path: "/srv" } }]));
    expect(calls).toEqual([]);
    await volumes().clear(podWith([{ emptyDir: {} }]));
    expect(calls).toMatchObject([["clearVolumes", { uid, directories: [{ name: "v0", medium: "" }] }]]);
  });

  test("plugins take back what they filled before the directory goes, with what is in memory", async () => {
    const released: unknown[] = [];
    const provider = {
      release: async (_: Pod, { name }: { name: string }, directory: string) =>
        void released.push([name, path.basename(path.dirname(directory)), calls.length]),
    };
    const pod = podWith([
      { emptyDir: { medium: "Memory" } },
      { secret: { secretName: "s" } },
      { csi: { driver: "d" } },
    ]);
    await volumes({ provided: provided(provider) }).remove(pod);
    expect(released).toEqual([
      ["v1", "kubernetes.io~secret", 0],
      ["v2", "kubernetes.io~csi", 0],
    ]);
    expect(calls).toMatchObject([["removeVolumes", { uid, directories: [{ name: "v0" }, { name: "v1" }] }]]);
  });

  test("no pod has no emptyDirs", () => {
    expect(volumes().emptyDirs(undefined)).toEqual([]);
  });
});

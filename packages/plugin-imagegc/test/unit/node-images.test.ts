import type { Pod } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { describe, expect, test } from "@jest/globals";
import { nodeImages, runtimeName } from "../../src/node-images.js";
import { record } from "./images/images.js";

interface Parts {
  readonly images?: readonly { id: string; names: readonly string[]; runtimeHandler?: string }[];
  readonly disk?: { readonly capacityBytes: number; readonly availableBytes: number };
  readonly containers?: readonly object[];
  readonly held?: readonly string[];
  readonly sandboxImage?: string;
  readonly pods?: readonly Pod[];
  readonly removeImage?: (id: string, handler?: string) => Promise<void>;
  /** Images that containers mount as volumes, by container id. */
  readonly volumes?: Readonly<Record<string, readonly string[]>>;
  readonly later?: Readonly<Record<string, string>>;
}

function ports({
  images = [],
  containers = [],
  held = [],
  sandboxImage,
  pods = [],
  later = {},
  volumes = {},
  ...parts
}: Parts) {
  const order: string[] = [];
  const asked: string[] = [];
  const runtime = {
    listImages: async () =>
      images.map(({ names, ...image }) => ({ ...image, repoTags: names, repoDigests: [], size: 1, pinned: false })),
    listContainers: async () => {
      order.push("containers");
      return containers;
    },
    heldImages: () => {
      order.push("held");
      return held;
    },
    imageStatus: async (name: string) => {
      if (name.includes(" ")) throw new RuntimeError("invalid-image-name", `${name} is no image name`);
      return later[name] === undefined ? undefined : { id: later[name] };
    },
    containerStatus: async (id: string) => {
      if (id === "gone") throw new RuntimeError("not-found", "no such container");
      asked.push(id);
      return { imageVolumes: volumes[id] };
    },
    facts: async () => ({ podLogsDir: "/logs", ...(sandboxImage === undefined ? {} : { sandboxImage }) }),
    fileSystems: async () => ({
      image: { ...(parts.disk ?? { capacityBytes: 100, availableBytes: 40 }), usedBytes: 7 },
    }),
    removeImage: parts.removeImage ?? (async () => {}),
  };
  const ignored = {
    time: { now: () => 1 },
    removed: () => {},
    orderFault: () => {},
    log: { info: () => {}, debug: () => {} },
  };
  return { ...nodeImages({ ...ignored, runtime, pods: { list: () => pods } } as never), order, asked };
}

async function users(parts: Parts): Promise<readonly string[]> {
  const node = ports(parts);
  return (await node.uses(await node.images())).map(
    ({ imageId, handler, by }) => `${imageId}${handler === undefined ? "" : ` for ${handler}`} by ${by}`,
  );
}

const images = [
  { id: "sha256:web", names: ["docker.io/library/web:1"] },
  { id: "sha256:pause", names: ["registry.k8s.io/pause:3.6"] },
  { id: "sha256:init", names: ["registry.example/init:1"] },
];
const pod = (spec: object) => ({ metadata: { name: "web", namespace: "default", uid: "u" }, spec }) as unknown as Pod;

describe("an image is used", () => {
  test("by every container, running or dead, of pods and of others", async () => {
    const labels = { "io.kubernetes.pod.namespace": "default", "io.kubernetes.pod.name": "web" };
    const containers = [
      { imageRef: "sha256:web", labels, metadata: { name: "main" } },
      { imageRef: "sha256:init", labels: {}, metadata: { name: "foreign" } },
    ];
    expect(await users({ images, containers })).toEqual([
      "sha256:web by container default/web/main",
      "sha256:init by container foreign",
    ]);
  });

  test("by its id where the runtime writes a digest beside it", async () => {
    const container = { imageRef: "web@sha256:00", imageId: "sha256:web", labels: {}, metadata: { name: "main" } };
    expect(await users({ images, containers: [container] })).toEqual(["sha256:web by container main"]);
  });

  test("for the runtime handler of its container; a pod without one uses it for each", async () => {
    const both = [
      { id: "sha256:web", names: ["docker.io/library/web:1"] },
      { id: "sha256:web", names: ["docker.io/library/web:1"], runtimeHandler: "kata" },
    ];
    const container = {
      imageRef: "sha256:web",
      imageRuntimeHandler: "kata",
      labels: {},
      metadata: { name: "main" },
    };
    expect(await users({ images: both, containers: [container] })).toEqual(["sha256:web for kata by container main"]);
    expect(await users({ images: both, held: ["web:1"] })).toEqual([
      "sha256:web by a container that is being started",
      "sha256:web for kata by a container that is being started",
    ]);
    expect(
      await users({ images: both, containers: [container], pods: [pod({ containers: [{ image: "web:1" }] })] }),
    ).toEqual(["sha256:web for kata by container main", "sha256:web by pod default/web"]);
  });

  test("by a container of another program that mounts it as a volume; own pods have no such volumes", async () => {
    const of = (id: string, uid: string) => {
      const labels = { "io.kubernetes.pod.uid": uid, "io.kubernetes.pod.name": id };
      return { id, imageRef: "sha256:other", labels, metadata: { name: "main" } };
    };
    const parts = {
      images,
      containers: [of("theirs", "x"), of("gone", "y"), of("ours", "u")],
      volumes: { theirs: ["sha256:init"] },
      pods: [pod({ containers: [] })],
    };
    expect(await users(parts)).toContain("sha256:init by container theirs/main");
    const node = ports(parts);
    await node.uses([]);
    expect(node.asked).toEqual(["theirs"]);
  });

  test("never by an invalid name: holding it is a separate error", async () => {
    expect(await users({ images, held: ["NO NAME", "web:1"] })).toEqual([
      "sha256:web by a container that is being started",
    ]);
  });

  test("by sandboxes, when it is the sandbox image, under any name", async () => {
    expect(await users({ images, sandboxImage: "registry.k8s.io/pause:3.6" })).toEqual([
      "sha256:pause by the sandboxes of pods",
    ]);
  });

  test("by what holds it, however its name is written, also when it came after the list", async () => {
    const later = { "late:1": "sha256:late" };
    expect(await users({ images, held: ["web:1", "sha256:init", "late:1", "nowhere:1"], later })).toEqual([
      "sha256:web by a container that is being started",
      "sha256:init by a container that is being started",
      "sha256:late by a container that is being started",
    ]);
  });

  test("by a pod that has no container of it yet, admitted or not, until it has ended", async () => {
    const spec = {
      containers: [{ image: "web:1" }],
      initContainers: [{ image: "registry.example/init:1" }],
    };
    const labels = { "io.kubernetes.pod.namespace": "default", "io.kubernetes.pod.name": "web" };
    const containers = [{ imageRef: "sha256:web", labels, metadata: { name: "main" } }];
    expect(await users({ images, pods: [{ ...pod(spec), status: { phase: "Succeeded" } }] })).toEqual([]);
    expect(await users({ images, containers, pods: [pod(spec)] })).toEqual([
      "sha256:web by container default/web/main",
      "sha256:init by pod default/web",
    ]);
  });

  test("by an ephemeral container of a pod", async () => {
    const spec = {
      containers: [{ image: "web:1" }],
      ephemeralContainers: [{ image: "registry.example/init:1" }],
    };
    expect(await users({ images, pods: [pod(spec)] })).toEqual([
      "sha256:web by pod default/web",
      "sha256:init by pod default/web",
    ]);
  });

  test("what is held is asked before the containers: what is made in between is in one of them", async () => {
    const node = ports({});
    await node.uses([]);
    expect(node.order).toEqual(["held", "containers"]);
  });
});

describe("a removal", () => {
  test("of an image that is used after all leaves it alone", async () => {
    const removeImage = () => Promise.reject(new RuntimeError("failed-precondition", "held"));
    expect(await ports({ removeImage }).remove(record("a"))).toBe(false);
  });

  test("that fails has the reason", async () => {
    const removeImage = () => Promise.reject(new RuntimeError("unavailable", "containerd is down"));
    await expect(ports({ removeImage }).remove(record("a"))).rejects.toThrow("containerd is down");
  });

  test("asks for the id, never for a name that may mean another image by now", async () => {
    const asked: string[] = [];
    await ports({ removeImage: async (id) => void asked.push(id) }).remove(record("sha256:a"));
    expect(asked).toEqual(["sha256:a"]);
  });
});

test("a removal is for the image's runtime handler alone", async () => {
  const asked: unknown[] = [];
  const removeImage = async (...given: readonly unknown[]) => void asked.push(given);
  await ports({ removeImage }).remove({ ...record("sha256:a"), handler: "kata" });
  expect(asked).toEqual([["sha256:a", "kata"]]);
});

test.each([
  { name: "no number", disk: { capacityBytes: 100, availableBytes: Number.NaN } },
  { name: "a part of a byte", disk: { capacityBytes: 1.5, availableBytes: 1 } },
  { name: "less than nothing", disk: { capacityBytes: -1, availableBytes: 0 } },
])("a disk of which the runtime reports $name is an error, and nothing is removed for it", async ({ disk }) => {
  await expect(ports({ disk }).usage()).rejects.toThrow(/^expected the image filesystem's capacity and free space/);
});

test("the disk is that of the images", async () => {
  expect(await ports({}).usage()).toEqual({ capacityBytes: 100, availableBytes: 40 });
});

test.each([
  { name: "web", expected: "docker.io/library/web:latest" },
  { name: "NO NAME", expected: "NO NAME" },
])("the name $name is written $expected", ({ name, expected }) => expect(runtimeName(name)).toBe(expected));

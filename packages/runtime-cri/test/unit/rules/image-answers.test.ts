/** What the CRI says of images and who uses them, and what the kubelet's RuntimeClassInImageCriApi changes on the wire. */
import { describe, expect, test } from "@jest/globals";
import type { Calls } from "../../../src/calls.js";
import { CriImages } from "../../../src/images.js";
import { toContainer, toContainerStatus } from "../../../src/map/answer.js";
import { criRuntimeOptions } from "../../../src/options.js";
import type { WireContainer, WireContainerStatus, WireImage } from "../../../src/wire.js";

const wire: WireImage = {
  id: "sha256:a",
  repoTags: ["web:1"],
  repoDigests: [],
  size: "10",
  uid: null,
  username: "",
  spec: { image: "web:1", runtimeHandler: "kata" },
  pinned: false,
};

function imagesOf(byHandler: boolean) {
  const asked: unknown[] = [];
  const answers: Readonly<Record<string, unknown>> = {
    ImageStatus: { image: wire },
    ListImages: { images: [wire, { ...wire, spec: null }] },
    PullImage: { imageRef: wire.id },
  };
  const call = async (rpc: string, request: { readonly image?: unknown }) => {
    asked.push([rpc, request.image]);
    return answers[rpc] ?? {};
  };
  return { images: new CriImages({ call } as unknown as Calls, [], byHandler), asked };
}

async function all(images: CriImages): Promise<void> {
  await images.status("web:1", "kata");
  await images.pull("web:1", undefined, undefined, "kata");
  await images.remove("web:1", "kata");
}

describe("with the gate on", () => {
  test("images are resolved, pulled and removed for the handler that they are meant for", async () => {
    const { images, asked } = imagesOf(true);
    await all(images);
    const image = { image: "web:1", runtimeHandler: "kata" };
    expect(asked).toEqual([
      ["ImageStatus", image],
      ["PullImage", image],
      ["RemoveImage", image],
    ]);
  });

  test("an empty handler is the default one", async () => {
    const { images, asked } = imagesOf(true);
    await images.status("web:1");
    expect(asked).toEqual([["ImageStatus", { image: "web:1", runtimeHandler: "" }]]);
  });

  test("listed images have the handler that they were pulled for", async () => {
    const listed = await imagesOf(true).images.list();
    expect(listed.map(({ id, runtimeHandler }) => [id, runtimeHandler])).toEqual([
      ["sha256:a", "kata"],
      ["sha256:a", undefined],
    ]);
  });
});

describe("with the gate off, as it is by default", () => {
  test("no call names a handler", async () => {
    expect(criRuntimeOptions.parse({}).featureGates).toEqual({ RuntimeClassInImageCriApi: false });
    const { images, asked } = imagesOf(false);
    await all(images);
    expect(asked.map((one) => (one as readonly unknown[])[1])).toEqual(Array(3).fill({ image: "web:1" }));
  });

  test("the runtime's handlers are ignored", async () => {
    const { images } = imagesOf(false);
    for (const image of [...(await images.list()), await images.status("web:1")])
      expect(image).not.toHaveProperty("runtimeHandler");
  });
});

const container: WireContainer = {
  id: "c",
  podSandboxId: "s",
  metadata: null,
  image: { image: "web:1", runtimeHandler: "kata" },
  imageRef: "web@sha256:d",
  imageId: "sha256:a",
  state: "CONTAINER_RUNNING",
  createdAt: "0",
  labels: {},
  annotations: {},
};

test("a status names the images that are mounted as volumes", () => {
  const mount = {
    containerPath: "/a",
    hostPath: "",
    readonly: true,
    recursiveReadOnly: false,
    selinuxRelabel: false,
    propagation: "",
    image: null,
  };
  const status: WireContainerStatus = {
    ...container,
    startedAt: "0",
    finishedAt: "0",
    exitCode: 0,
    reason: "",
    message: "",
    mounts: [mount, { ...mount, image: { image: "sha256:v", runtimeHandler: "" } }],
    logPath: "",
    user: null,
  };
  expect(toContainerStatus(status, "s").imageVolumes).toEqual(["sha256:v"]);
  expect(toContainerStatus({ ...status, mounts: [mount] }, "s")).not.toHaveProperty("imageVolumes");
});

test("a container has its image's id and handler where the runtime reports them", () => {
  expect(toContainer(container)).toMatchObject({
    imageRef: "web@sha256:d",
    imageId: "sha256:a",
    imageRuntimeHandler: "kata",
  });
  const old = toContainer({ ...container, image: { image: "web:1", runtimeHandler: "" }, imageId: "" });
  expect(old).not.toHaveProperty("imageId");
  expect(old).not.toHaveProperty("imageRuntimeHandler");
});

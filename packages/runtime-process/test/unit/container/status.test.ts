import { expect, test } from "@jest/globals";
import type { Container, Life } from "../../../src/container/container.js";
import { toContainer, toContainerStatus } from "../../../src/container/status.js";

const config = {
  metadata: { name: "main", attempt: 2 },
  image: { image: "sha256:1", userSpecifiedImage: "app:1" },
  labels: { l: "1" },
  annotations: { a: "2" },
  mounts: [{ containerPath: "/c", hostPath: "/h" }],
};
const container = (life: Life, image = config.image) =>
  ({
    life,
    record: {
      id: "c1",
      sandboxId: "s1",
      createdAt: "1767323045000000006",
      imageId: "sha256:1",
      config: { ...config, image },
      launch: { user: { uid: 1, gid: 2, groups: [3] } },
      logPath: "/log",
    },
  }) as unknown as Container;

const exited: Life = {
  kind: "exited",
  exitCode: 137,
  startedAt: 5n,
  finishedAt: 9n,
  reason: "OOMKilled",
  message: "m",
};
const running = { kind: "running", processes: {}, startedAt: 5n } as unknown as Life;

test("a container is listed as it was asked for, with the image as the pod names it", () => {
  expect(toContainer(container({ kind: "created" }))).toEqual({
    id: "c1",
    sandboxId: "s1",
    metadata: { name: "main", attempt: 2 },
    state: "CONTAINER_CREATED",
    createdAt: 1767323045000000006n,
    image: "app:1",
    imageRef: "sha256:1",
    labels: { l: "1" },
    annotations: { a: "2" },
  });
  expect(toContainer(container({ kind: "created" }, { image: "sha256:1", userSpecifiedImage: "" })).image).toBe(
    "sha256:1",
  );
});

test.each<{ life: Life; expected: object }>([
  { life: { kind: "created" }, expected: { state: "CONTAINER_CREATED", startedAt: 0n, finishedAt: 0n, exitCode: 0 } },
  { life: { kind: "starting" }, expected: { state: "CONTAINER_CREATED", startedAt: 0n, finishedAt: 0n, reason: "" } },
  { life: running, expected: { state: "CONTAINER_RUNNING", startedAt: 5n, finishedAt: 0n, exitCode: 0, message: "" } },
  {
    life: exited,
    expected: {
      state: "CONTAINER_EXITED",
      startedAt: 5n,
      finishedAt: 9n,
      exitCode: 137,
      reason: "OOMKilled",
      message: "m",
    },
  },
])("one that is $life.kind has the times and the end that it has come to", ({ life, expected }) => {
  expect(toContainerStatus(container(life))).toMatchObject({
    ...expected,
    mounts: config.mounts,
    logPath: "/log",
    user: { uid: 1, gid: 2, supplementalGroups: [3] },
  });
});

import { systemClock } from "@hooklet/utils";
import { describe, expect, test } from "@jest/globals";
import { ProvidedVolumes } from "../../../../src/pod/life/provided-volumes.js";
import { aPod } from "../../../pod/pods.js";

const volumes = new ProvidedVolumes({ volumesOf: () => undefined }, systemClock);

test.each([
  { given: { configMap: { name: "a" } }, content: "disk", readOnly: true, folder: "kubernetes.io~configmap" },
  { given: { secret: { secretName: "a" } }, content: "memory", readOnly: true, folder: "kubernetes.io~secret" },
  { given: { projected: { sources: [] } }, content: "memory", readOnly: true, folder: "kubernetes.io~projected" },
  { given: { downwardAPI: {} }, content: "memory", readOnly: true, folder: "kubernetes.io~downward-api" },
  {
    given: { persistentVolumeClaim: { claimName: "a" } },
    readOnly: false,
    folder: "kubernetes.io~persistent-volume-claim",
  },
  {
    given: { persistentVolumeClaim: { claimName: "a", readOnly: true } },
    readOnly: true,
    folder: "kubernetes.io~persistent-volume-claim",
  },
  { given: { csi: { driver: "d" } }, readOnly: false, folder: "kubernetes.io~csi" },
  { given: { csi: { driver: "d", readOnly: true } }, readOnly: true, folder: "kubernetes.io~csi" },
  { given: { ephemeral: {} }, readOnly: false, folder: "kubernetes.io~ephemeral" },
])("a volume of %p", ({ given, content, readOnly, folder }) => {
  const volume = { name: "v", ...given };
  expect(volumes.isProvided(volume)).toBe(true);
  expect(volumes.content(volume)).toBe(content);
  expect(volumes.isReadOnly(volume)).toBe(readOnly);
  expect(volumes.steps(volume)).toEqual(["volumes", folder, "v"]);
});

test("a volume that the agent makes by itself needs no provider", () => {
  const volume = { name: "v", emptyDir: {} };
  expect([volumes.isProvided(volume), volumes.content(volume), volumes.isReadOnly(volume)]).toEqual([
    false,
    undefined,
    false,
  ]);
});

const pod = aPod({
  volumes: [
    { name: "a", configMap: {} },
    { name: "b", emptyDir: {} },
    { name: "c", csi: { driver: "d" } },
  ],
});
const [a, , c] = pod.spec.volumes as [{ name: string }, object, { name: string }];
const { signal } = new AbortController();
const filling = (provider: object): ProvidedVolumes =>
  new ProvidedVolumes({ volumesOf: (kind) => ({ kinds: [kind], ...provider }) as never }, systemClock);

describe("the volumes of a pod", () => {
  test("are ready once all that plugins fill is filled, until they are given back", async () => {
    const released: unknown[] = [];
    const all = filling({
      prepare: async () => undefined,
      release: async (...[, { name }, directory]: [unknown, { name: string }, string]) =>
        released.push([name, directory]),
    });
    expect([all.isReady(pod), all.isReady(aPod())]).toEqual([false, true]);
    await all.prepare(pod, "/a", a, signal);
    expect(all.isReady(pod)).toBe(false);
    await all.prepare(pod, "/c", c, signal);
    expect(all.isReady(pod)).toBe(true);
    expect([all.place(pod, a), all.place(pod, c), all.place(aPod({}, { uid: "u2" }), a)]).toEqual([
      "/a",
      "/c",
      undefined,
    ]);
    await all.release(pod, ({ name }) => `/dir/${name}`);
    expect(released).toEqual([
      ["a", "/dir/a"],
      ["c", "/dir/c"],
    ]);
    expect([all.isReady(pod), all.place(pod, a)]).toEqual([false, undefined]);
  });

  test("that could not be given back are still there", async () => {
    const all = filling({ prepare: async () => "/mnt/a", release: () => Promise.reject(new Error("busy")) });
    await all.prepare(pod, "/a", a, signal);
    await expect(all.release(pod, () => "/a")).rejects.toThrow("busy");
    expect(all.place(pod, a)).toBe("/mnt/a");
  });

  test("need no plugin that takes them back", async () => {
    const all = filling({ prepare: async () => undefined });
    await all.prepare(pod, "/a", a, signal);
    await all.release(pod, () => "/a");
    expect(all.place(pod, a)).toBeUndefined();
  });

  test("of a kind that no plugin provides cannot be had", async () => {
    await expect(volumes.prepare(pod, "/a", a, signal)).rejects.toThrow(/no plugin provides volumes of kind configMap/);
  });

  test("lie at an absolute path of the host", async () => {
    const all = filling({ prepare: async () => "mnt/a" });
    await expect(all.prepare(pod, "/a", a, signal)).rejects.toMatchObject({
      code: "PROVIDER_OUTPUT",
      message: expect.stringMatching(/The provider of volume a.*an absolute path of the host.*mnt/),
    });
    expect(all.place(pod, a)).toBeUndefined();
  });
});

import { systemClock } from "@hooklet/utils";
import { MemoryVolumes } from "@hooklet/volumes";
import { expect, test } from "@jest/globals";
import { ProvidedVolumes } from "../../../../src/pod/life/provided-volumes.js";
import { VolumePlaces } from "../../../../src/pod/life/volume-places.js";
import { aPod } from "../../../pod/pods.js";

/** A provider of claims that has a place of its own for them. */
const provided = new ProvidedVolumes(
  { volumesOf: (kind) => ({ prepare: async () => (kind === "csi" ? "/mnt/disk1" : undefined) }) as never },
  systemClock,
);
const memory = new MemoryVolumes({ rootDir: "/var/lib/h", mounts: false, sharedDir: "/shm" });
const places = new VolumePlaces("/var/lib/h", memory, provided);
const pod = aPod({}, { uid: "u1" });
const inMemory = (folder: string): string => memory.place("u1", ["volumes", folder, "v"]);

test.each<[string, object, string]>([
  ["an emptyDir below the pod's directory", { emptyDir: {} }, "/var/lib/h/pods/u1/volumes/kubernetes.io~empty-dir/v"],
  ["an emptyDir of medium Memory in memory", { emptyDir: { medium: "Memory" } }, inMemory("kubernetes.io~empty-dir")],
  ["a hostPath where it says", { hostPath: { path: "/srv/data/" } }, "/srv/data"],
  ["a hostPath from the root, whatever it says", { hostPath: { path: "srv" } }, "/srv"],
  [
    "a ConfigMap below the pod's directory",
    { configMap: { name: "c" } },
    "/var/lib/h/pods/u1/volumes/kubernetes.io~configmap/v",
  ],
  ["a Secret in memory", { secret: { secretName: "s" } }, inMemory("kubernetes.io~secret")],
  [
    "a volume of a driver below the pod's directory, until the driver has a place for it",
    { csi: { driver: "d" } },
    "/var/lib/h/pods/u1/volumes/kubernetes.io~csi/v",
  ],
])("%s", (_, kind, place) => {
  expect(places.of(pod, { name: "v", ...kind })).toBe(place);
});

test("a volume for which its provider has a place of its own is there", async () => {
  const volume = { name: "v", csi: { driver: "d" } };
  await provided.prepare(pod, "/unused", volume, new AbortController().signal);
  expect(places.of(pod, volume)).toBe("/mnt/disk1");
  expect(places.filled(pod, volume)).toBe("/var/lib/h/pods/u1/volumes/kubernetes.io~csi/v");
});

test("emptyDirs and what is filled in memory are listed in the manifest's order", () => {
  const volumes = [
    { name: "cache", emptyDir: {} },
    { name: "keys", secret: { secretName: "s" } },
    { name: "conf", configMap: { name: "c" } },
    { name: "fast", emptyDir: { medium: "Memory" } },
  ];
  const of = { ...pod, spec: { ...pod.spec, volumes } };
  expect(places.emptyDirs(of).map(({ name, medium }) => [name, medium])).toEqual([
    ["cache", ""],
    ["fast", "Memory"],
  ]);
  const where = memory.place("u1", ["volumes", "kubernetes.io~secret", "keys"]);
  expect(places.filledInMemory(of)).toEqual([{ name: "keys", path: where, medium: "Memory" }]);
  expect([places.emptyDirs(pod), places.filledInMemory(pod)]).toEqual([[], []]);
});

test("a uid or a name that would leave the pod's directory has no place", () => {
  expect(() => places.podDir("../etc")).toThrow();
  expect(() => places.of(pod, { name: "../v", emptyDir: {} })).toThrow();
});

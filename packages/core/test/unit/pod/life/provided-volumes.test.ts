import { systemClock } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { ProvidedVolumes } from "../../../../src/pod/life/provided-volumes.js";

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

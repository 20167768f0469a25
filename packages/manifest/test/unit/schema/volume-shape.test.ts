import { expect, test } from "@jest/globals";
import { FieldFaults } from "../../../src/field-faults.js";
import { FieldPath } from "../../../src/path.js";
import { nothingProvided, providedVolumes } from "../../../src/provided.js";
import { readShape } from "../../../src/read-shape.js";
import { volume } from "../../../src/schema/volume-shape.js";

const items = [{ key: "a", path: "b", mode: 256 }];
const downward = [
  {
    path: "a",
    fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" },
    resourceFieldRef: { containerName: "a", resource: "limits.cpu", divisor: "1m" },
    mode: 256,
  },
];
const selector = { matchLabels: { a: "b" }, matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] };
const source = { apiGroup: "g", kind: "k", name: "n" };

const volumes: Readonly<Record<string, object>> = {
  hostPath: { path: "/a", type: "File" },
  emptyDir: { medium: "Memory", sizeLimit: "1Gi" },
  configMap: { name: "a", items, defaultMode: 256, optional: true },
  secret: { secretName: "a", items, defaultMode: 256, optional: true },
  persistentVolumeClaim: { claimName: "a", readOnly: true },
  downwardAPI: { items: downward, defaultMode: 256 },
  csi: { driver: "a", readOnly: true, fsType: "b", volumeAttributes: { c: "d" }, nodePublishSecretRef: { name: "e" } },
  projected: {
    sources: [
      { secret: { name: "a", items, optional: true } },
      { configMap: { name: "a", items, optional: true } },
      { downwardAPI: { items: downward } },
      { serviceAccountToken: { audience: "a", expirationSeconds: 600, path: "b" } },
      { clusterTrustBundle: { name: "a", signerName: "b", labelSelector: selector, optional: true, path: "c" } },
    ],
    defaultMode: 256,
  },
  ephemeral: {
    volumeClaimTemplate: {
      metadata: { labels: { a: "b" }, annotations: { c: "d" } },
      spec: {
        accessModes: ["ReadWriteOnce"],
        selector,
        resources: { limits: { storage: "2Gi" }, requests: { storage: "1Gi" } },
        volumeName: "a",
        storageClassName: "b",
        volumeMode: "Block",
        dataSource: source,
        dataSourceRef: { ...source, namespace: "c" },
        volumeAttributesClassName: "d",
      },
    },
  },
};

function reading(value: object, provided = new Set(providedVolumes) as Parameters<typeof volume>[0]) {
  const faults = new FieldFaults();
  const read = readShape(value, volume(provided), FieldPath.root, faults);
  return { read, faults: faults.list.map(({ message }) => message) };
}

test.each(Object.entries(volumes))("a volume of kind %s keeps all its fields", (kind, fields) => {
  const value = { name: "v", [kind]: fields };
  expect(reading(value)).toEqual({ read: value, faults: [] });
});

test.each<[string, string]>([
  ...["configMap", "secret", "persistentVolumeClaim", "projected", "ephemeral"].map((kind): [string, string] => [
    kind,
    "not supported by hooklet without an API server",
  ]),
  ...["downwardAPI", "csi"].map((kind): [string, string] => [kind, "not supported by hooklet"]),
])("without a plugin that provides it, a volume of kind %s is %s", (kind, why) => {
  const value = { name: "v", [kind]: volumes[kind] };
  expect(reading(value, nothingProvided)).toEqual({ read: { name: "v" }, faults: [`${kind}: Forbidden: ${why}`] });
});

test.each(
  "image nfs iscsi fc rbd cephfs gitRepo awsElasticBlockStore gcePersistentDisk azureDisk azureFile cinder glusterfs flexVolume flocker quobyte storageos scaleIO vsphereVolume photonPersistentDisk portworxVolume".split(
    " ",
  ),
)("a volume of kind %s is Kubernetes' own, and not supported", (kind) => {
  expect(reading({ [kind]: {} }).faults).toEqual([`${kind}: Forbidden: not supported by hooklet`]);
});

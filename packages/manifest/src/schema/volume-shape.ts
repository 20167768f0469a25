import type { Provided, ProvidedKind } from "../provided.js";
import {
  allRefused,
  flag,
  int32,
  int64,
  list,
  map,
  NEEDS_API_SERVER,
  NOT_SUPPORTED,
  object,
  quantity,
  refused,
  type Shape,
  text,
} from "../shape.js";

const items = list(object({ key: text, path: text, mode: int32 }));
const labelSelector = object({
  matchLabels: map(text),
  matchExpressions: list(object({ key: text, operator: text, values: list(text) })),
});
const downward = list(
  object({
    path: text,
    fieldRef: object({ apiVersion: text, fieldPath: text }),
    resourceFieldRef: object({ containerName: text, resource: text, divisor: quantity }),
    mode: int32,
  }),
);
const projection = object({
  secret: object({ name: text, items, optional: flag }),
  configMap: object({ name: text, items, optional: flag }),
  downwardAPI: object({ items: downward }),
  serviceAccountToken: object({ audience: text, expirationSeconds: int64, path: text }),
  clusterTrustBundle: object({ name: text, signerName: text, labelSelector, optional: flag, path: text }),
});
const dataSource = { apiGroup: text, kind: text, name: text };
const claimTemplate = object({
  metadata: object({ labels: map(text), annotations: map(text) }),
  spec: object({
    accessModes: list(text),
    selector: labelSelector,
    resources: object({ limits: map(quantity), requests: map(quantity) }),
    volumeName: text,
    storageClassName: text,
    volumeMode: text,
    dataSource: object(dataSource),
    dataSourceRef: object({ ...dataSource, namespace: text }),
    volumeAttributesClassName: text,
  }),
});

/** Volumes that need a provider: allowed where a plugin provides them, else refused with this message. */
const kinds: readonly (readonly [kind: ProvidedKind, shape: Shape, why: string])[] = [
  ["configMap", object({ name: text, items, defaultMode: int32, optional: flag }), NEEDS_API_SERVER],
  ["secret", object({ secretName: text, items, defaultMode: int32, optional: flag }), NEEDS_API_SERVER],
  ["persistentVolumeClaim", object({ claimName: text, readOnly: flag }), NEEDS_API_SERVER],
  ["projected", object({ sources: list(projection), defaultMode: int32 }), NEEDS_API_SERVER],
  ["ephemeral", object({ volumeClaimTemplate: claimTemplate }), NEEDS_API_SERVER],
  ["downwardAPI", object({ items: downward, defaultMode: int32 }), NOT_SUPPORTED],
  [
    "csi",
    object({
      driver: text,
      readOnly: flag,
      fsType: text,
      volumeAttributes: map(text),
      nodePublishSecretRef: object({ name: text }),
    }),
    NOT_SUPPORTED,
  ],
];

export function volume(provided: Provided): Shape {
  return object({
    name: text,
    hostPath: object({ path: text, type: text }),
    emptyDir: object({ medium: text, sizeLimit: quantity }),
    ...Object.fromEntries(kinds.map(([kind, shape, why]) => [kind, provided.has(kind) ? shape : refused(why)])),
    ...allRefused(NOT_SUPPORTED, "image", "nfs", "iscsi", "fc", "rbd", "cephfs", "gitRepo"),
    ...allRefused(NOT_SUPPORTED, "awsElasticBlockStore", "gcePersistentDisk", "azureDisk", "azureFile", "cinder"),
    ...allRefused(NOT_SUPPORTED, "glusterfs", "flexVolume", "flocker", "quobyte", "storageos", "scaleIO"),
    ...allRefused(NOT_SUPPORTED, "vsphereVolume", "photonPersistentDisk", "portworxVolume"),
  });
}

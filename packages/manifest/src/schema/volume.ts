import { allRefused, NEEDS_API_SERVER, NOT_SUPPORTED, object, quantity, text } from "../shape.js";

export const volume = object({
  name: text,
  hostPath: object({ path: text, type: text }),
  emptyDir: object({ medium: text, sizeLimit: quantity }),
  ...allRefused(NEEDS_API_SERVER, "configMap", "secret", "persistentVolumeClaim", "projected", "ephemeral"),
  ...allRefused(NOT_SUPPORTED, "downwardAPI", "image", "nfs", "csi", "iscsi", "fc", "rbd", "cephfs", "gitRepo"),
  ...allRefused(NOT_SUPPORTED, "awsElasticBlockStore", "gcePersistentDisk", "azureDisk", "azureFile", "cinder"),
  ...allRefused(NOT_SUPPORTED, "glusterfs", "flexVolume", "flocker", "quobyte", "storageos", "scaleIO"),
  ...allRefused(NOT_SUPPORTED, "vsphereVolume", "photonPersistentDisk", "portworxVolume"),
});

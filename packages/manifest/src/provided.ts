/** What a manifest may only use when somebody provides it: pods of a cluster use it, a lone node has no such thing. */
export type ProvidedKind =
  | "configMap"
  | "secret"
  | "projected"
  | "downwardAPI"
  | "persistentVolumeClaim"
  | "csi"
  | "ephemeral"
  | "configMapKeyRef"
  | "secretKeyRef"
  | "imagePullSecrets"
  | "readinessGates";

export type Provided = ReadonlySet<ProvidedKind>;

export const providedKinds: readonly ProvidedKind[] = [
  "configMap",
  "secret",
  "projected",
  "downwardAPI",
  "persistentVolumeClaim",
  "csi",
  "ephemeral",
  "configMapKeyRef",
  "secretKeyRef",
  "imagePullSecrets",
  "readinessGates",
];

export const nothingProvided: Provided = new Set();

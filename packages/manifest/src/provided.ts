/** Features of a manifest that need a provider: pods of a cluster use them, a standalone node has none. */
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

/** Volumes that a plugin may bring. */
export const providedVolumes = [
  "configMap",
  "secret",
  "projected",
  "downwardAPI",
  "persistentVolumeClaim",
  "csi",
  "ephemeral",
] as const satisfies readonly ProvidedKind[];

/** Values of environment variables that a plugin may bring. */
export const providedValues = ["configMapKeyRef", "secretKeyRef"] as const satisfies readonly ProvidedKind[];

export const providedKinds: readonly ProvidedKind[] = [
  ...providedVolumes,
  ...providedValues,
  "imagePullSecrets",
  "readinessGates",
];

/** What hooklet's own plugins provide where there is no cluster. */
export const providedLocally: Provided = new Set<ProvidedKind>([
  "configMap",
  "secret",
  "projected",
  "downwardAPI",
  "configMapKeyRef",
  "secretKeyRef",
  "imagePullSecrets",
]);

export const nothingProvided: Provided = new Set();

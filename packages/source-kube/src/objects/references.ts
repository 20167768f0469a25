/** Which ConfigMaps and Secrets a pod refers to. Pure. */

import type { Container, Pod } from "@hooklet/core";
import type { ObjectKind } from "@hooklet/core/subsystem";

interface Reference {
  readonly kind: ObjectKind;
  readonly name: string;
  /** Of a volume: what is in it follows the object. All others are read once for each start. */
  readonly followed: boolean;
}

/** Each object once; followed where one of its references is. */
export function referencesOf(pod: Pod): readonly Reference[] {
  const all = new Map<string, Reference>();
  const add = (kind: ObjectKind, name: string | undefined, followed: boolean): void => {
    if (name === undefined || name === "") return;
    const key = `${kind}/${name}`;
    all.set(key, { kind, name, followed: followed || all.get(key)?.followed === true });
  };
  const { spec } = pod;
  for (const { configMap, secret, projected } of spec.volumes ?? []) {
    add("ConfigMap", configMap?.name, true);
    add("Secret", secret?.secretName, true);
    for (const source of projected?.sources ?? []) {
      add("ConfigMap", source.configMap?.name, true);
      add("Secret", source.secret?.name, true);
    }
  }
  const containers = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
  for (const { env, envFrom } of containers as readonly Container[]) {
    for (const { valueFrom } of env ?? []) {
      add("ConfigMap", valueFrom?.configMapKeyRef?.name, false);
      add("Secret", valueFrom?.secretKeyRef?.name, false);
    }
    for (const { configMapRef, secretRef } of envFrom ?? []) {
      add("ConfigMap", configMapRef?.name, false);
      add("Secret", secretRef?.name, false);
    }
  }
  for (const { name } of spec.imagePullSecrets ?? []) add("Secret", name, false);
  return [...all.values()];
}

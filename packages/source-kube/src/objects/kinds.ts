/** Kinds of objects that pods refer to, and where they lie. Pure. */
import type { ObjectKind } from "@hooklet/core/subsystem";
import { paths } from "../client/paths.js";

/** The collection of a namespace. */
export function collectionOf(kind: ObjectKind, namespace: string): string {
  return kind === "ConfigMap" ? paths.configMaps(namespace) : paths.secrets(namespace);
}

/** The map that every namespace has with the cluster's certificate authority: it changes once in years. */
export const ROOT_CA = "kube-root-ca.crt";

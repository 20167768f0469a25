/** The tables of `hooklet get configmaps` and `get secrets`: names, keys and sizes of what was applied, never a value. */
import { type NodeContext, namespacedName, type View, type ViewRow } from "@hooklet/core";
import type { ApiObject } from "@hooklet/core/subsystem";

const columns = [
  { name: "namespace" },
  { name: "name" },
  { name: "data" },
  { name: "immutable", wide: true },
  { name: "keys", wide: true },
];

export function objectViews({ objects }: Pick<NodeContext, "objects">): Readonly<Record<string, View>> {
  const rows = (kind: ApiObject["kind"]): readonly ViewRow[] =>
    objects
      .applied()
      .filter((object): object is ApiObject => object.kind === kind)
      .sort((a, b) => (namespacedName(a.metadata) < namespacedName(b.metadata) ? -1 : 1))
      .map(rowOf);
  return {
    configmaps: { description: "ConfigMaps that were applied", columns, rows: () => rows("ConfigMap") },
    secrets: { description: "Secrets that were applied", columns, rows: () => rows("Secret") },
  };
}

function rowOf(object: ApiObject): ViewRow {
  const keys = [...Object.keys(object.data ?? {}), ...Object.keys(("binaryData" in object && object.binaryData) || {})];
  const { namespace, name } = object.metadata;
  return { namespace, name, data: keys.length, immutable: object.immutable === true, keys: keys.sort().join(",") };
}

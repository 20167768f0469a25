/** `hooklet get configmaps` and `get secrets`: names, keys and sizes of what was applied, never a value. */
import type { ApiObject, NodeContext, View, ViewRow } from "@hooklet/core";

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
      .filter((object) => object.kind === kind)
      .map((object) => rowOf(object as ApiObject))
      .sort((a, b) => (`${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1));
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

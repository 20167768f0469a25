import { definePlugin, type NodeContext, namespacedName, type View, type ViewRow } from "@hooklet/core";
import type { ApiObject } from "@hooklet/core/subsystem";
import { objectValues } from "./values/object-values.js";
import { pullSecrets } from "./values/pull-secrets.js";
import { LiveVolumes } from "./volumes/live.js";
import { Tokens } from "./volumes/tokens.js";
import { writeApart } from "./volumes/write.js";

/** Seconds between two checks for tokens to renew, and for failures to retry. */
const DUE = 10;

/** What pods take from objects of the API (pkg/kubelet/{configmap,secret,token}, pkg/volume/{configmap,secret,projected,downwardapi}). */
export const plugin = definePlugin({
  meta: {
    name: "@hooklet/plugin-objects",
    api: 1,
    description: "ConfigMaps, Secrets, tokens and the downward API as volumes and environment",
  },
  start(ctx) {
    const tokens = new Tokens({
      clock: ctx.clock,
      random: Math.random,
      failed: (account, error) =>
        ctx.log.warn({ err: error }, `the token of ${account} was not renewed; the old one is still good`),
    });
    const files = writeApart(ctx.host);
    const volumes = new LiveVolumes(ctx, tokens, files.write);
    ctx.provide.volumes({
      kinds: ["configMap", "secret", "projected", "downwardAPI"],
      prepare: async (pod, volume, directory, signal) => {
        await volumes.prepare(pod, volume, directory, signal);
        return undefined;
      },
      release: (pod, volume) => volumes.release(pod.metadata.uid, volume.name),
    });
    ctx.provide.values(objectValues(ctx));
    ctx.provide.credentials(pullSecrets(ctx));
    ctx.hooks.tick(DUE).tap(async () => volumes.refreshDue());
    const ends: (() => void)[] = [];
    return {
      open: () => {
        ends.push(ctx.objects.watch((change) => volumes.changed(change)));
        ends.push(ctx.pods.watch((uid, pod) => volumes.podChanged(uid, pod)));
      },
      views: objectViews(ctx),
      async stop() {
        for (const end of ends.splice(0)) end();
        await volumes.settled();
        files.close();
      },
    };
  },
});

// The tables of `hooklet get configmaps` and `get secrets`: names, keys and sizes of what was applied, never a value.

const columns = [
  { name: "namespace" },
  { name: "name" },
  { name: "data" },
  { name: "immutable", wide: true },
  { name: "keys", wide: true },
];

function objectViews({ objects }: Pick<NodeContext, "objects">): Readonly<Record<string, View>> {
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

/**
 * ConfigMaps and Secrets without a cluster, for `env` (valueFrom, envFrom) and as volumes: `<folder>/<ConfigMap|Secret>/<namespace>/<name>/`
 * has a file for each key. It takes the place of hooklet's own plugin, whose ConfigMaps and Secrets come by `hooklet apply`:
 *
 *     plugins:
 *       - [objects, false]
 *       - ["./values-from-files.mjs", { folder: /etc/values }]
 *
 * @type {import("@hooklet/core").NodePlugin<{ folder: string }>}
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** As Kubernetes has them: no name leads out of the folder. */
const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const KEY = /^[-._a-zA-Z0-9]+$/;
const MAX_BYTES = 1024 * 1024;

export default {
  meta: { name: "values-from-files", api: 1, description: "ConfigMaps and Secrets from files" },

  options: (z) => z.strictObject({ folder: z.string().startsWith("/") }),

  start(ctx, { folder }) {
    ctx.provide.values({
      kinds: ["configMapKeyRef", "secretKeyRef"],
      get: async (kind, { namespace, name }, _pod, signal) => {
        const data = await valuesOf(folder, kind, namespace, name, signal);
        return data && { data };
      },
    });

    ctx.provide.volumes({
      kinds: ["configMap", "secret"],
      // `directory` is the pod's own, made by core and removed by it.
      async prepare(pod, { configMap, secret }, directory, signal) {
        const kind = configMap === undefined ? "Secret" : "ConfigMap";
        const name = configMap?.name ?? secret?.secretName ?? "";
        const data = await valuesOf(folder, kind, pod.metadata.namespace, name, signal);
        if (data === undefined && !(configMap ?? secret)?.optional) {
          throw new Error(`${kind.toLowerCase()} "${name}" not found in ${folder}`);
        }
        for (const [key, value] of Object.entries(data ?? {})) {
          await writeFile(join(directory, key), value, { mode: 0o644, signal });
        }
        return undefined;
      },
    });
  },
};

/** Texts by key; undefined: there is no such object. */
async function valuesOf(folder, kind, namespace, name, signal) {
  if (![namespace, name].every((part) => NAME.test(part))) throw new Error(`${kind} ${namespace}/${name} is no name`);
  const place = join(folder, kind, namespace, name);
  const entries = await readdir(place, { withFileTypes: true }).catch((error) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (entries === undefined) return undefined;
  const data = {};
  let bytes = 0;
  for (const entry of entries) {
    if (!entry.isFile() || !KEY.test(entry.name)) continue;
    const text = await readFile(join(place, entry.name), { encoding: "utf8", signal });
    bytes += Buffer.byteLength(text);
    if (bytes > MAX_BYTES) throw new Error(`${kind} ${namespace}/${name}: expected at most ${MAX_BYTES} bytes`);
    data[entry.name] = text;
  }
  return data;
}

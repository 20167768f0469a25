import { expect, test } from "@jest/globals";
import { objectsHub } from "../../../src/agent/objects-hub.js";
import type { SourcesConfig } from "../../../src/config/agent-config.js";
import { aPod } from "../../pod/pods.js";

const { signal } = new AbortController();
const name = { namespace: "admin", name: "x" };
const restricted = {
  refusePrivileged: true,
  refuseHostNamespaces: false,
  allowedHostPaths: null,
  refuseProbeHosts: false,
};

function read(kind: "ConfigMap" | "Secret", source: string, config: Partial<SourcesConfig>): Promise<unknown> {
  const store = { read: async (asked: string) => ({ kind: asked }), watch: () => () => undefined, list: () => [] };
  const providers = {
    objectsOf: (plugin: string) => (plugin === "cluster" ? { read: async () => "cluster's" } : undefined),
  };
  const hub = objectsHub({
    store: store as never,
    providers: { ...providers, objectSources: () => [] } as never,
    sources: { ownerOf: (one) => (one === "kube" ? "cluster" : undefined) },
    sourceOf: () => source,
    config,
  });
  const objects = hub.of(aPod());
  return kind === "ConfigMap" ? objects.read("ConfigMap", name, signal) : objects.read("Secret", name, signal);
}

test.each(["ConfigMap", "Secret"] as const)(
  "a %s that was applied is seen by pods of the control socket",
  async (kind) => {
    expect(await read(kind, "control", {})).toEqual({ kind });
  },
);

test.each(["manifests", "manifestUrl", "others"] as const)(
  "pods of %s see no applied object unless the rc file says so",
  async (source) => {
    for (const kind of ["ConfigMap", "Secret"] as const) {
      await expect(read(kind, source, {})).rejects.toThrow(`add ${source} to sources.objects`);
      expect(await read(kind, source, { objects: [source] })).toEqual({ kind });
    }
  },
);

test.each(["manifests", "manifestUrl", "others"] as const)(
  "pods of %s with a restriction never see a Secret",
  async (source) => {
    const config = { objects: [source], restrictions: { [source]: restricted } };
    await expect(read("Secret", source, config)).rejects.toThrow("pods of restricted sources see no Secrets");
    expect(await read("ConfigMap", source, config)).toEqual({ kind: "ConfigMap" });
    const unrestricted = { ...restricted, refusePrivileged: false };
    expect(await read("Secret", source, { ...config, restrictions: { [source]: unrestricted } })).toEqual({
      kind: "Secret",
    });
  },
);

test("pods of a cluster see the cluster's own objects", async () => {
  expect(await read("Secret", "kube", { restrictions: { others: restricted } })).toBe("cluster's");
});

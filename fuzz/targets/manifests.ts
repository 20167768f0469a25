/** The texts of pods: files, URLs, `hooklet apply`. */
import { isManifestError, readManifest, staticPod } from "@hooklet/manifest";
import type { Target } from "../target.js";
import { everyField } from "./every-field.js";
import { yamlSeeds } from "./seeds.js";

export const manifests: Target = {
  name: "manifests",
  seeds: () => [
    ...yamlSeeds("examples/manifests", "examples/trouble", "test/e2e/fixtures/kubernetes-docs"),
    Buffer.from(JSON.stringify(everyField)),
  ],
  open: async () => ({
    async run(input) {
      try {
        await readManifest(input, "fuzz", (pod) =>
          staticPod(pod, { source: "file", where: "/fuzz.yaml", nodeName: "node" }),
        );
        return "accepted";
      } catch (error) {
        if (isManifestError(error)) return "refused";
        throw error;
      }
    },
    close: async () => {},
  }),
};

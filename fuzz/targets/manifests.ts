/** The texts of pods: files, URLs, `hooklet apply`. */
import { isManifestError, readManifest, staticPod } from "@hooklet/manifest";
import type { Target } from "../target.js";
import { yamlSeeds } from "./seeds.js";

const ORIGIN = { source: "file", where: "/fuzz.yaml", nodeName: "node", seen: 0 } as const;

export const manifests: Target = {
  name: "manifests",
  weight: 40,
  cost: { milliseconds: 100, nanosecondsPerByte: 15_000 },
  seeds: () => yamlSeeds("examples/manifests", "examples/trouble", "test/fixtures/kubernetes-docs", "fuzz/seeds"),
  open: async () => ({
    async run(input) {
      try {
        await readManifest(input, "fuzz", (pod) => staticPod(pod, ORIGIN));
        return "accepted";
      } catch (error) {
        if (isManifestError(error)) return "refused";
        throw error;
      }
    },
    close: async () => {},
  }),
};

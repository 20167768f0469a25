/** rc files, with all that is read out of them; no code that they name is run. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isConfigFaultsError, loadConfig, type Modules } from "@hooklet/config";
import { defineRuntime } from "@hooklet/core/host";
import { z } from "zod";
import type { Target } from "../target.js";
import { ROOT, yamlSeeds } from "./seeds.js";

const seeds = [
  { node: { name: "n1", maxPods: 10, systemReserved: { cpu: "100m", memory: "256Mi" }, evictionHard: {} } },
  {
    runtime: { use: "./runtime.mjs", options: { a: 1 } },
    plugins: ["./a.mjs", ["./b.mjs", { deep: [1, { two: 2 }] }]],
  },
  {
    sources: { manifests: "/etc/kubernetes/manifests", manifestUrl: null },
    port: 0,
    socket: "./x.sock",
    rootDir: "./r",
  },
  {
    extends: "./team.yaml",
    plugins: [
      ["./a.mjs", false],
      ["./c.mjs", { until: "5m" }],
    ],
  },
];

const runtime = defineRuntime({
  meta: { name: "none", api: 1 },
  options: z.strictObject({ a: z.number().optional() }),
  create: () => {
    throw new Error("nothing is started here");
  },
});

/** Nothing is found but what looks like a plugin, which does nothing, and a runtime. */
const modules: Modules = {
  resolve(specifier, from) {
    if (specifier === "@hooklet/runtime-process") return "/runtime.mjs";
    return specifier.endsWith(".mjs") ? path.resolve(path.dirname(from), specifier) : undefined;
  },
  load: async (file) => ({
    default: file.endsWith("runtime.mjs") ? runtime : { meta: { name: path.basename(file), api: 1 }, start() {} },
  }),
};

export const rcFiles: Target = {
  name: "rc files",
  weight: 15,
  cost: { milliseconds: 100, nanosecondsPerByte: 40_000 },
  seeds: () => [
    ...seeds.map((seed) => Buffer.from(JSON.stringify(seed))),
    ...yamlSeeds("examples", "examples/plugins"),
    Buffer.from("a: &a [1]\nplugins: [*a, {<<: *a}]\n---\nnode: {}\n"),
  ],
  open: async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "hooklet-fuzz-"));
    const file = path.join(folder, "rc.yaml");
    return {
      async run(input) {
        writeFileSync(file, input);
        try {
          await loadConfig({
            hooklet: pathToFileURL(path.join(ROOT, "packages/hooklet/src/index.ts")).href,
            flags: { config: file },
            cwd: folder,
            env: {},
            uid: 1,
            hostname: "node",
            modules,
            systemFolder: folder,
            plugins: [],
          });
          return "accepted";
        } catch (error) {
          if (isConfigFaultsError(error)) return "refused";
          throw error;
        }
      },
      close: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
};

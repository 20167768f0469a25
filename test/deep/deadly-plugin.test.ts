/** Plugins that would end the agent by callbacks of their own. */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { until, Workplace } from "../support/agent.js";

let place: Workplace;

beforeEach(async () => {
  place = await Workplace.create();
});

afterEach(() => place.remove(), 120_000);

const pod = (name: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  terminationGracePeriodSeconds: 1
  containers: [{ name: main, image: host, command: [sleep, "1000"] }]
`;

test("a plugin of several files whose timers throw ends nothing", async () => {
  const folder = path.join(place.folder, "many");
  await mkdir(path.join(folder, "lib"), { recursive: true });
  await writeFile(path.join(folder, "package.json"), '{ "name": "many", "type": "module", "main": "index.js" }');
  await writeFile(
    path.join(folder, "lib/parse.js"),
    "export const parse = (text) => ({ read: () => JSON.parse(text) });\n",
  );
  await writeFile(
    path.join(folder, "index.js"),
    `import { parse } from "./lib/parse.js";
export default {
  meta: { name: "many", api: 1 },
  start() {
    setInterval(() => parse("{").read(), 200);
    setInterval(async () => { await null; parse("[").read(); }, 200);
  },
};
`,
  );
  await writeFile(path.join(place.folder, ".hookletrc.yaml"), "plugins: [./many/index.js]\n");
  await place.manifest("a.yaml", pod("a"));
  await place.start("--log-level", "debug");
  await until("its errors are told", async () => /The agent continues/.test(place.output));
  await until("the pod runs", async () => (await place.pod("a"))?.status.phase === "Running");
  // Ten of each: an agent has five lives.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(place.output).toContain('in a callback of plugin "many"');
  expect(place.output).not.toContain("The agent restarts");
});

test("a plugin that throws as its hook's deadline aborts its signal ends nothing", async () => {
  await writeFile(
    path.join(place.folder, "late.mjs"),
    `
export default {
  meta: { name: "late", api: 1 },
  start({ hooks }) {
    hooks.tick(1).tap({ deadlineSeconds: 1 }, ({ signal }) => new Promise((resolve) => {
      signal.addEventListener("abort", () => { resolve(); JSON.parse("{"); });
    }));
  },
};
`,
  );
  await writeFile(path.join(place.folder, ".hookletrc.yaml"), "plugins: [./late.mjs]\n");
  await place.start("--log-level", "debug");
  const reported = (): number => [...place.output.matchAll(/The agent (?:restarts|continues)/g)].length;
  await until("it has thrown, or what it threw has ended the agent", async () => reported() > 0);
  expect(place.output).toContain('in a callback of plugin "late"');
  expect(place.output).not.toContain("The agent restarts");
});

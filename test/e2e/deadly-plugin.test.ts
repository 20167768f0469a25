/** Plugins that end the agent, or would: over a pod, without a word, and by a timer of their own. */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { until, Workplace } from "./agent.js";

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

/** The agent dies as the kernel would kill it for its memory, just when it is about to admit the pod `bad`. */
const KILLER = `
export default {
  meta: { name: "killer", api: 1 },
  start(ctx) {
    ctx.hooks.podAdmit.tap((verdict, { pod }) => {
      if (pod.metadata.name.startsWith("bad-")) process.kill(process.pid, "SIGKILL");
      return verdict;
    });
  },
};
`;

test("a pod whose handling kills the agent without a word is set aside after three deaths; the others run all the while", async () => {
  await writeFile(path.join(place.folder, "killer.mjs"), KILLER);
  await writeFile(path.join(place.folder, ".hookletrc.yaml"), "plugins: [./killer.mjs]\n");
  for (const name of ["a", "b"]) await place.manifest(`${name}.yaml`, pod(name));
  await place.start();
  const running = async (): Promise<readonly string[]> =>
    (await place.pods()).flatMap(({ metadata, status }) =>
      status.phase === "Running" ? `${metadata.name} ${status.containerStatuses?.[0]?.containerID}` : [],
    );
  await until("a and b run", async () => (await running()).length === 2);
  const before = (await running()).toSorted();

  await place.stop();
  await place.manifest("bad.yaml", pod("bad"));
  let deaths = 0;
  await until("an agent that lives", async () => {
    try {
      await place.start();
      // It may have answered before it came to the pod.
      await until("its events", async () => (await place.events()).includes("SetAside"));
      return true;
    } catch {
      deaths += 1;
      expect(deaths).toBeLessThanOrEqual(4);
      return false;
    }
  });
  expect(deaths).toBe(3);
  expect(await place.events()).toMatch(/SetAside.*ended the agent 3 times in a row/);
  expect((await running()).toSorted()).toEqual(before);

  await place.manifest("bad.yaml", pod("good"));
  await until("the manifest that was changed is handled", async () => (await running()).length === 3);
});

test("a plugin of several files that throws from timers of its own ends nothing", async () => {
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
  await until("its errors are told", async () => /goes on/.test(place.output));
  await until("the pod runs", async () => (await place.pod("a"))?.status.phase === "Running");
  // Ten of each: an agent has five lives.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(place.output).toContain('in a callback of plugin "many"');
  expect(place.output).not.toContain("is started anew");
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
  const told = (): number => [...place.output.matchAll(/is started anew|goes on/g)].length;
  await until("it has thrown, or what it threw has ended the agent", async () => told() > 0);
  expect(place.output).toContain('in a callback of plugin "late"');
  expect(place.output).not.toContain("is started anew");
});

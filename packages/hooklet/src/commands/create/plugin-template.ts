/** The package that `hooklet create plugin` writes. */
import { packageFiles, scenarioText, type TemplateInput } from "./package-files.js";

export function pluginFiles(input: TemplateInput): Record<string, string> {
  const files = packageFiles(input, `hooklet plugin ${input.name}`);
  const main = input.isTypeScript ? "src/index.ts" : "index.js";
  const scenario = scenarioText(`What plugin ${input.name} makes of pods`, `./${main}`, STORY);
  const test = input.clone === undefined ? plainTest(input.isTypeScript ? "src" : "js") : testkitTest(input.name);
  return {
    ...files,
    [main]: input.isTypeScript ? typescript(input.name) : javascript(input.name),
    [main.replace("index.", "index.test.")]: test,
    "scenario.yaml": scenario,
  };
}

const STORY = `timeline:
  - at: 1s
    apply:
      metadata: { name: owned, labels: { owner: ada } }
      spec: { containers: [{ name: main, image: "web:1" }] }
  - at: 2s
    apply:
      metadata: { name: lost }
      spec: { containers: [{ name: main, image: "web:1" }] }
until: 1m
expect:
  - { pod: owned, phase: Running, ready: true }
  - { pod: lost, phase: Failed, reason: NoOwner }
`;

/** In the real agent, on a simulated node in virtual time. */
function testkitTest(name: string): string {
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { aPod, describePlugin, startTestAgent } from "@hooklet/testkit";
import plugin from "./index.js";

const labels = { owner: "ada" };

test("a pod without an owner is refused, one with an owner runs", async () => {
  const agent = await startTestAgent({
    plugins: [[plugin, { label: "owner" }]],
    pods: [aPod({ name: "owned", labels }), aPod({ name: "lost" })],
  });
  await agent.waitFor(() => agent.pod("owned").status?.phase === "Running");
  assert.equal(agent.pod("lost").status?.phase, "Failed");
  assert.equal(agent.pod("lost").status?.reason, "NoOwner");
});

// Ten checks that every plugin passes: it stops in order, refuses unknown options, survives faults of the runtime, ...
describePlugin("${name}", { plugin, pods: [aPod({ labels })] });
`;
}

const DOC = `/** Rejects pods without an owner, and sets the owner in the environment of their containers. The life of a plugin: docs/reference/plugins.md of hooklet. */`;

function javascript(name: string): string {
  return `${DOC}

/** @type {import("@hooklet/core").NodePlugin<{ label: string }>} */
export default {
${body(name, `./${name}/index.js`)}
};
`;
}

function typescript(name: string): string {
  return `${DOC}
import type { NodePlugin } from "@hooklet/core";

const plugin: NodePlugin<{ label: string }> = {
${body(name, `./${name}/src/index.ts`)}
};

export default plugin;
`;
}

/** `path`: as the rc file names it. */
function body(name: string, path: string): string {
  return `  meta: { name: "${name}", api: 1, description: "Every pod has an owner" },

  // What the rc file may say: ["${path}", { label: "team" }]. z is zod.
  options: (z) => z.strictObject({ label: z.string().min(1).default("owner") }),

  start({ hooks }, { label }) {
    hooks.podAdmit.tap((verdict, { pod }) => {
      if (pod.metadata.labels?.[label] !== undefined) return;
      return verdict.reject({ reason: "NoOwner", message: \`label \${label} is missing\` });
    });
    hooks.containerStart.tap((plan, { pod }) => plan.setEnv("OWNER", pod.metadata.labels?.[label] ?? ""));
  },`;
}

/** What the test of a plugin in TypeScript knows of hooks. */
const TYPES = `
interface Rejection {
  readonly reason: string;
  readonly message: string;
}

interface Verdict {
  reject(rejection: Rejection): Rejection;
}

interface Taps {
  podAdmit(verdict: Verdict, event: object): Rejection | undefined;
  containerStart(plan: { setEnv(name: string, value: string): void }, event: object): void;
}
`;

/** Plain node:test on what the plugin taps; @hooklet/testkit runs it on a whole node in virtual time. */
function plainTest(kind: "js" | "src"): string {
  const typed = (text: string): string => (kind === "src" ? text : "");
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import plugin from "./index.js";
${typed(TYPES)}
/** What the plugin taps, by hook. */
function taps()${typed(": Taps")} {
  const found${typed(": Partial<Taps>")} = {};
  const hook = (name${typed(": keyof Taps")}) => ({
    tap: (tap${typed(": never")}) => {
      found[name] = tap;
    },
  });
  const hooks = { podAdmit: hook("podAdmit"), containerStart: hook("containerStart") };
  plugin.start({ hooks }${typed(" as never")}, { label: "owner" }, {});
  return found${typed(" as Taps")};
}

const owned = { pod: { metadata: { labels: { owner: "ada" } } } };
const lost = { pod: { metadata: {} } };
const verdict${typed(": Verdict")} = { reject: (rejection) => rejection };

test("a pod without an owner is refused, one with an owner is not", () => {
  const { podAdmit } = taps();
  assert.equal(podAdmit(verdict, owned), undefined);
  assert.equal(podAdmit(verdict, lost)?.reason, "NoOwner");
});

test("containers know their owner", () => {
  const env${typed(": Record<string, string>")} = {};
  const setEnv = (name${typed(": string")}, value${typed(": string")}) => {
    env[name] = value;
  };
  taps().containerStart({ setEnv }, owned);
  assert.deepEqual(env, { OWNER: "ada" });
});
`;
}

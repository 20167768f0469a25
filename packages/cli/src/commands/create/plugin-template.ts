/** The package that `hooklet create plugin` writes. */
import { packageFiles, type TemplateInput } from "./package-files.js";

export function pluginFiles(input: TemplateInput): Record<string, string> {
  const files = packageFiles(input, `hooklet plugin ${input.name}`);
  return input.isTypeScript
    ? { ...files, "src/index.ts": typescript(input.name), "src/index.test.ts": test("src") }
    : { ...files, "index.js": javascript(input.name), "index.test.js": test("js") };
}

function javascript(name: string): string {
  return `/** Refuses pods without an owner, and tells containers who it is. The life of a plugin: docs/plugins.md of hooklet. */

/** @type {import("@hooklet/core").NodePlugin<{ label: string }>} */
export default {
  meta: { name: "${name}", api: 1, description: "Every pod has an owner" },

  // What the rc file may say: ["./${name}/index.js", { label: "team" }]. z is zod.
  options: (z) => z.strictObject({ label: z.string().min(1).default("owner") }),

  start({ hooks }, { label }) {
    hooks.podAdmit.tap((verdict, { pod }) => {
      if (pod.metadata.labels?.[label] !== undefined) return;
      return verdict.reject({ reason: "NoOwner", message: \`label \${label} is missing\` });
    });
    hooks.containerStart.tap((plan, { pod }) => plan.setEnv("OWNER", pod.metadata.labels?.[label] ?? ""));
  },
};
`;
}

function typescript(name: string): string {
  return `/** Refuses pods without an owner, and tells containers who it is. The life of a plugin: docs/plugins.md of hooklet. */
import type { NodePlugin } from "@hooklet/core";

const plugin: NodePlugin<{ label: string }> = {
  meta: { name: "${name}", api: 1, description: "Every pod has an owner" },

  // What the rc file may say: ["./${name}/src/index.ts", { label: "team" }]. z is zod.
  options: (z) => z.strictObject({ label: z.string().min(1).default("owner") }),

  start({ hooks }, { label }) {
    hooks.podAdmit.tap((verdict, { pod }) => {
      if (pod.metadata.labels?.[label] !== undefined) return;
      return verdict.reject({ reason: "NoOwner", message: \`label \${label} is missing\` });
    });
    hooks.containerStart.tap((plan, { pod }) => plan.setEnv("OWNER", pod.metadata.labels?.[label] ?? ""));
  },
};

export default plugin;
`;
}

/** Plain node:test on what the plugin taps; @hooklet/testkit runs it on a whole node in virtual time. */
function test(kind: "js" | "src"): string {
  const typed = (text: string): string => (kind === "src" ? text : "");
  return `import assert from "node:assert/strict";
import { test } from "node:test";
${typed('import type { NodeContext } from "@hooklet/core";\n')}import plugin from "./index.js";
${typed("\ntype Tap = (first: object, event: object) => unknown;\n")}
/** What the plugin taps into this hook. */
function tapOf(wanted${typed(": string")})${typed(": Tap")} {
  const found${typed(": Record<string, Tap>")} = {};
  const hook = (name${typed(": string")}) => ({ tap: (tap${typed(": Tap")}) => (found[name] = tap) });
  const hooks = { podAdmit: hook("podAdmit"), containerStart: hook("containerStart") };
  plugin.start({ hooks }${typed(" as unknown as NodeContext")}, { label: "owner" });
  const tap = found[wanted];
  assert.ok(tap, \`nothing taps \${wanted}\`);
  return tap;
}

const owned = { pod: { metadata: { labels: { owner: "ada" } } } };
const lost = { pod: { metadata: {} } };
const verdict = { reject: (rejection${typed(": object")}) => rejection };

test("a pod without an owner is refused, one with an owner is not", () => {
  const admit = tapOf("podAdmit");
  assert.equal(admit(verdict, owned), undefined);
  assert.deepEqual(admit(verdict, lost), { reason: "NoOwner", message: "label owner is missing" });
});

test("containers know their owner", () => {
  const env${typed(": Record<string, string>")} = {};
  const plan = { setEnv: (name${typed(": string")}, value${typed(": string")}) => (env[name] = value) };
  tapOf("containerStart")(plan, owned);
  assert.deepEqual(env, { OWNER: "ada" });
});
`;
}

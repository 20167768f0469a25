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
  const any = kind === "src" ? ": any" : "";
  const cast = kind === "src" ? " as any" : "";
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import plugin from "./index.js";

/** What the plugin taps, by hook. */
function taps()${any} {
  const found${any} = {};
  const hook = (name${kind === "src" ? ": string" : ""}) => ({ tap: (tap${any}) => (found[name] = tap) });
  const hooks = { podAdmit: hook("podAdmit"), containerStart: hook("containerStart") };
  (plugin${cast}).start({ hooks }, { label: "owner" });
  return found;
}

const owned = { pod: { metadata: { labels: { owner: "ada" } } } };
const lost = { pod: { metadata: {} } };
const verdict = { reject: (rejection${any}) => rejection };

test("a pod without an owner is refused, one with an owner is not", () => {
  const { podAdmit } = taps();
  assert.equal(podAdmit(verdict, owned), undefined);
  assert.equal(podAdmit(verdict, lost).reason, "NoOwner");
});

test("containers know their owner", () => {
  const env${any} = {};
  taps().containerStart({ setEnv: (name${kind === "src" ? ": string" : ""}, value${kind === "src" ? ": string" : ""}) => (env[name] = value) }, owned);
  assert.deepEqual(env, { OWNER: "ada" });
});
`;
}

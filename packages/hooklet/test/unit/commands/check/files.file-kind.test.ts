import { rcSchema } from "@hooklet/core/internal";
import { expect, test } from "@jest/globals";
import { fileKind, RC_KEYS } from "../../../../src/commands/check/files.js";

test("every option of an rc file is known", () => expect(["$schema", ...RC_KEYS]).toEqual(Object.keys(rcSchema.shape)));

test.each([
  ["a manifest in block style", "p.yaml", "# a pod\napiVersion: v1\nkind: Pod\n", "manifest"],
  ["a manifest in flow style", "p.yaml", "---\n{ apiVersion: v1, kind: Pod }\n", "manifest"],
  ["a manifest whose syntax is wrong", "p.yaml", "kind: Pod\n  spec: [\n", "manifest"],
  ["a manifest in JSON", "p.json", '{"apiVersion": "v1", "kind": "Pod"}', "manifest"],
  ["a scenario that applies pods", "s.yaml", "until: 1m\ntimeline:\n  - apply: { kind: Pod }\n", "scenario"],
  ["a scenario in JSON", "s.json", '{"until": "1m", "timeline": [{"apply": {"kind": "Pod"}}]}', "scenario"],
  ["an rc file", "rc.yaml", "plugins: []\n", "rc file"],
  ["an rc file with others' keys deeper down", "rc.yaml", "plugins:\n  - [it, { kind: x, until: 1m }]\n", "rc file"],
  ["an rc file in JSON", "rc.json", '\n{ "node": { "name": "n" } }', "rc file"],
  ["a kubelet's configuration", "k.yaml", "apiVersion: v1\nkind: KubeletConfiguration\n", "rc file"],
  ["an rc file that is a module", "hooklet.config.mjs", "export default {}", "rc file"],
  ["an rc file that is empty", ".hookletrc.yaml", "", "rc file"],
  ["nothing of these", "a.yaml", "- a\n", undefined],
])("%s", (_, name, text, expected) => expect(fileKind(name, text)).toBe(expected));

test.each(["until", "timeline", "expect", "trace", "images", "registry", "devices", "config", "rc"])(
  "the key %s alone makes a scenario, in block style, in JSON, and in quotes",
  (key) => {
    for (const text of [`${key}: 1\n`, `{"${key}": 1}`, `'${key}': 1\n`]) expect(fileKind("it", text)).toBe("scenario");
  },
);

test.each(RC_KEYS)("the key %s alone makes an rc file", (key) => expect(fileKind("it", `${key}: 1\n`)).toBe("rc file"));

test.each(["apiVersion", "kind"])("the key %s alone makes a manifest", (key) =>
  expect(fileKind("it", `${key}: v1\n`)).toBe("manifest"),
);

test.each([
  ["a.js", "rc file"],
  ["a.cjs", "rc file"],
  ["a.mjs", "rc file"],
  ["a.ts", "rc file"],
  ["a.cts", "rc file"],
  ["a.mts", "rc file"],
  ["a.js.txt", undefined],
  ["ajs", undefined],
  ["hookletrc", "rc file"],
  ["/etc/hooklet/hookletrc.yaml", "rc file"],
  ["/etc/my-hookletrc.yaml", undefined],
  ["hooklet.config.yaml", "rc file"],
  ["hooklet-config.yaml", undefined],
])("the name %s alone makes %s", (name, expected) => expect(fileKind(name, "# nothing\n")).toBe(expected));

test.each([
  ["a kubelet's configuration in JSON", '{"apiVersion": "v1", "kind": "KubeletConfiguration"}', "rc file"],
  ["one in a line of its own", "# k\n  'kind': 'KubeletConfiguration'\n", "rc file"],
  ["a kind that begins alike", "kind: KubeletConfigurations\n", "manifest"],
  ["the word in a text", "kind: Pod\nnote: a kind: KubeletConfiguration\n", "manifest"],
  ["flow style below comments, blank lines and document marks", "# a\n\n--- \n{ until: 1m }\n", "scenario"],
  ["a list in flow style", "[{ kind: Pod }]", "manifest"],
  ["a list below other keys", "plugins:\n  - { kind: Pod }\n", "rc file"],
])("%s", (_, text, expected) => expect(fileKind("it", text)).toBe(expected));

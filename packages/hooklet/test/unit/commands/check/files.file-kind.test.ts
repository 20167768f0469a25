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

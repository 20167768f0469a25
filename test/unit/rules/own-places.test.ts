/**
 * `npm test` as root leaves the node that it runs on alone. Logs, cgroups, sockets and ports of the machine's own agent, of a kubelet and of
 * their containerd are not for tests: an agent under test has its own root dir, and with it its own logs, cgroups and sockets.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "@jest/globals";
import { codeFiles, codeOf, root } from "../../sources.js";

/** Files, processes and sockets of the real machine, also by way of a helper. Other tests name places without touching them. */
const TOUCHES =
  /from "(?:node:)?(?:fs|child_process|net|http|https|tls)(?:\/promises)?"|from "[^"]*(?:\/machine\.mjs|\/agent\.js|\/containerd\.js|\/node\.js|\/pnpm\.mjs)"/;

const PLACES = new RegExp(
  [
    String.raw`/var/log/(?:pods|containers)\b`,
    String.raw`/var/lib/(?:hooklet|kubelet|containerd|containers)\b(?!-)`,
    String.raw`/(?:var/)?run/(?:containerd|crio|hooklet)\b`,
    String.raw`/etc/(?:cni|containerd)\b`,
    String.raw`(?:/sys/fs/cgroup|CGROUPS\}?)[^"\x60'\n]*/kubepods`,
    'cgroupRoot: "/"',
    // Of a kubelet and of hooklet, written as they are in code and in URLs.
    String.raw`(?:[pP]ort"?[:,]? |:)(?:10_?248|10_?250|10_?255|10_?256)\b`,
  ].join("|"),
);

/** Why these files may name such a place. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  "what a configuration says; no agent is started with it": [
    "packages/hooklet/test/unit/commands/init.test.ts",
    "packages/core/test/unit/agent/configz.test.ts",
    "packages/config/test/unit/load-config.test.ts",
    "test/deep/from-kubelet.test.ts",
  ],
  "words of a message, a header or a screen": [
    "packages/core/test/unit/rules/agent-timeouts.test.ts",
    "packages/utils/test/unit/errors.test.ts",
    "packages/server/test/real/loopback.test.ts",
    "scripts/live-screens.mjs",
  ],
  "a file system that the test makes up": ["packages/config/test/unit/trust.test.ts"],
  "a simulated kernel": [
    "packages/core/test/deep/pod/accepted/trace.ts",
    "packages/plugin-cgroups/test/unit/rules/cpu-agent.test.ts",
  ],
  "the text of a manifest, which the test replaces": ["test/deep/cri-manifests.test.ts"],
  "a mount namespace of its own": ["test/support/device-node.ts"],
  "a network namespace of its own": ["scripts/cluster/agent.mjs"],
  "a look whether the tests made them": ["scripts/jest.mjs"],
  "a virtual machine": ["scripts/v2/guest.mjs"],
  "state that runc and shims leave there, by the ids of a private containerd": ["scripts/containerd/clean-up.mjs"],
};

const packages = readdirSync(path.join(root, "packages"));
const folders = [...packages.map((name) => `packages/${name}/test`), "test", "scripts", "bench", "fuzz"];
const files = folders
  .map((folder) => path.join(root, folder))
  .flatMap((folder) => codeFiles(folder, /\.(?:ts|mjs|js)$/))
  .map((file) => ({ path: path.relative(root, file), text: readFileSync(file, "utf8") }))
  .filter((file) => file.path !== "test/unit/rules/own-places.test.ts" && TOUCHES.test(file.text));

test("no test and no script names a place of the machine's own agent, but for a listed reason", () => {
  const naming = files.filter(({ text }) => PLACES.test(codeOf(text))).map((file) => file.path);
  expect(naming.sort()).toEqual(Object.values(ALLOWED).flat().sort());
});

test("every file that starts the program gives it a root dir", () => {
  const starting = files.filter(
    ({ text }) => /(?:hooklet\.js|BINARY|\bbinary)\b/.test(text) && /["']run["'],/.test(text),
  );
  expect(starting.length).toBeGreaterThan(3);
  const without = starting.filter(({ text }) => !/--root-dir|\brootDir\b|"a virtual machine"/.test(text));
  expect(without.map((file) => file.path)).toEqual(ALLOWED["a virtual machine"]);
});

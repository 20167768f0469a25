import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { installScripts } from "../../../src/command/scripts.js";
import { findTools } from "../../../src/command/toolbox.js";
import { probeIsolation } from "../../../src/container/probe.js";
import type { Isolation } from "../../../src/container-record.js";
import { layoutOf, makeLayout } from "../../../src/layout.js";
import { makeDevTemplate } from "../../../src/rootfs/system-mounts.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-probe-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What is found out with a mount(8) that fails so many times, in these words (N: the how manieth time), before it is the machine's own. */
async function found(failures: number, words: string): Promise<{ isolation: Isolation; trials: number }> {
  const layout = layoutOf(folder);
  await makeLayout(layout);
  await makeDevTemplate(layout.devTemplate);
  const tools = findTools();
  const calls = join(folder, "calls");
  const mount = join(folder, "mount");
  const script = `echo >>${calls}; test "$(wc -l <${calls})" -gt ${failures} && exec ${tools.mount} "$@"; n=$(wc -l <${calls}); echo "${words.replace("N", "$n")}" >&2; exit 32`;
  writeFileSync(mount, `#!/bin/sh\n${script}\n`);
  chmodSync(mount, 0o755);
  writeFileSync(calls, "");
  const isolation = await probeIsolation(layout, { ...tools, mount }, await installScripts(layout.bin));
  expect(readdirSync(layout.base).filter((name) => name.startsWith("probe-"))).toEqual([]);
  return { isolation, trials: readFileSync(calls, "utf8").length };
}

test("a mount of the machine that goes while it is being shown costs no isolation", async () => {
  const { isolation: whole } = await found(0, "");
  expect(whole.mode).not.toBe("none");
  expect((await found(2, "mount: /x/root/var/lib/N: mount point does not exist.")).isolation).toEqual(whole);
});

test.each([
  { name: "a fault that comes again is one of the machine", words: "mount: permission denied.", trials: 8 },
  { name: "faults that are others each time are not retried forever", words: "mount: N: gone.", trials: 20 },
  {
    name: "one that comes again, not right after itself, counts as well",
    words: "mount: $((n % 2)): gone.",
    trials: 12,
  },
])("$name", async ({ words, trials }) => {
  const { isolation, trials: made } = await found(1_000, words);
  expect([isolation.mode, made]).toEqual(["none", trials]);
  expect(isolation.why).toMatch(/^mount: /);
});

import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { installScripts } from "../../src/command/install.js";
import { findTools } from "../../src/command/toolbox.js";
import { probeIsolation } from "../../src/container/probe.js";
import type { Isolation } from "../../src/container-record.js";
import { layoutOf, makeLayout } from "../../src/layout.js";
import { makeDevTemplate } from "../../src/rootfs/dev-template.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-probe-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What is found out with a mount(8) that fails so many times, in these words, before it is the machine's own. */
async function found(failures: number, words: string): Promise<{ isolation: Isolation; trials: number }> {
  const layout = layoutOf(folder);
  await makeLayout(layout);
  makeDevTemplate(layout.devTemplate);
  const tools = findTools();
  const calls = join(folder, "calls");
  const mount = join(folder, "mount");
  const script = `echo >>${calls}; test "$(wc -l <${calls})" -gt ${failures} && exec ${tools.mount} "$@"; echo '${words}' >&2; exit 32`;
  writeFileSync(mount, `#!/bin/sh\n${script}\n`);
  chmodSync(mount, 0o755);
  writeFileSync(calls, "");
  const isolation = await probeIsolation(layout, { ...tools, mount }, await installScripts(layout.bin));
  expect(readdirSync(layout.base).filter((name) => name.startsWith("probe-"))).toEqual([]);
  return { isolation, trials: readFileSync(calls, "utf8").length };
}

const GONE = "mount: /x/root/var/lib/y: mount point does not exist.";

test("a mount of the machine that goes while it is being shown costs no isolation", async () => {
  const { isolation: whole } = await found(0, GONE);
  expect(whole.mode).not.toBe("none");
  expect((await found(2, GONE)).isolation).toEqual(whole);
});

test("what fails again and again cannot be had, and is not tried for ever", async () => {
  const { isolation, trials } = await found(1_000, GONE);
  expect(isolation).toMatchObject({ mode: "none", why: GONE });
  expect(trials).toBe(12);
});

test("a refusal is taken at its word", async () => {
  const refused = "mount: permission denied.";
  const { isolation, trials } = await found(1_000, refused);
  expect(isolation).toMatchObject({ mode: "none", why: refused });
  expect(trials).toBe(4);
});

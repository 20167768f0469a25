/** The shipped unit is as closed as a node agent can be, and each exposure that stays has its line in docs/explanation/hardening.md. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "@jest/globals";
import { root } from "../../sources.js";

const packaging = path.join(root, "packages/hooklet/packaging");
const page = readFileSync(path.join(root, "docs/explanation/hardening.md"), "utf8");

interface Analysis {
  readonly exposure: number;
  readonly open: readonly string[];
}

function analysed(...dropIns: readonly string[]): Analysis | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), "hooklet-unit-"));
  try {
    cpSync(path.join(packaging, "hooklet.service"), path.join(folder, "hooklet.service"));
    mkdirSync(path.join(folder, "hooklet.service.d"));
    for (const one of dropIns) cpSync(path.join(packaging, one), path.join(folder, "hooklet.service.d", one));
    const unit = path.join(folder, "hooklet.service");
    const text = execFileSync("systemd-analyze", ["security", "--offline=true", "--no-pager", unit], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const open = [...text.matchAll(/^✗ (\S+)/gmu)].map(([, name]) => name ?? "");
    return { exposure: Number(/Overall exposure level.*: (\S+)/.exec(text)?.[1]), open };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The words of an exposure, as the page may name them: `CapabilityBoundingSet=~CAP_(DAC_*|FOWNER)` is CAP_DAC_*, CAP_FOWNER. */
function names(exposure: string): readonly string[] {
  const [option = "", of = ""] = exposure.replace(/=$/, "").split(/=~?/);
  const [, prefix = "", group] = /^(\w*)\((.*)\)$/.exec(of) ?? [];
  if (group !== undefined && option === "CapabilityBoundingSet")
    return group.split("|").map((name) => `${prefix}${name}`);
  if (option === "CapabilityBoundingSet") return [of];
  if (option === "SystemCallFilter") return [of];
  return exposure.includes("/") ? exposure.split("/").map((one) => one.replace("=", "")) : [option];
}

/** What the tables of the page have in their first column, without what is said of it (`RestrictNamespaces=~mnt`). */
const [, section = ""] = page.split("## The systemd unit");
const explained = new Set(
  [...(section.split("\n## ")[0] ?? "").matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`=]+)[^`]*`/g)].map(([, name = ""]) => name),
  ),
);

/** Of capabilities in one row each needs its reason; of an option and its other form one. */
function isExplained(exposure: string): boolean {
  const all = names(exposure);
  return exposure.startsWith("CapabilityBoundingSet")
    ? all.every((name) => explained.has(name))
    : all.some((name) => explained.has(name));
}

const offline = analysed();
const where = offline === undefined ? describe.skip : describe;

where("systemd-analyze security", () => {
  test("on a node with runtime cri the exposure is at most 5.5", () => {
    expect(analysed("cri.conf")?.exposure).toBeLessThanOrEqual(5.5);
  });

  test("each exposure that stays there has its line with a reason", () => {
    const missing = (analysed("cri.conf")?.open ?? []).filter(
      (exposure) => !names(exposure).some((name) => page.includes(name)),
    );
    expect(missing).toEqual([]);
  });

  test("without cri.conf each exposure stands in the tables of what must stay", () => {
    expect(offline?.open.length).toBeGreaterThan(40);
    expect(offline?.open.filter((exposure) => !isExplained(exposure))).toEqual([]);
  });
});

test("nothing in the units gives the agent a separate mount namespace: its mounts would not reach the runtime", () => {
  const options =
    /^(Protect(System|Home|KernelTunables|KernelModules|KernelLogs|ControlGroups|Proc)|Private(Tmp|Devices|Mounts)|ProcSubset|RootDirectory|(ReadOnly|ReadWrite|Inaccessible)Paths)=/m;
  for (const file of ["hooklet.service", "cri.conf"]) {
    expect(readFileSync(path.join(packaging, file), "utf8")).not.toMatch(options);
  }
});

test("each test that docs/explanation/hardening.md names is there, and each title", () => {
  const [, table = ""] = page.split("## Attacks");
  const named = [...table.matchAll(/`([\w-]+\/(?:test|rules)\/[\w/-]+)`(?: "([^"]+)")?/g)];
  expect(named.length).toBeGreaterThan(30);
  const missing = named.filter(([, file = "", title = ""]) => {
    const at = path.join(root, file.startsWith("test/") ? "" : "packages", `${file}.test.ts`);
    return !existsSync(at) || !readFileSync(at, "utf8").includes(title);
  });
  expect(missing.map(([all]) => all)).toEqual([]);
});

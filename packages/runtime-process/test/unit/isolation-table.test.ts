import { readFileSync } from "node:fs";
import { join } from "node:path";
import { withGenerated } from "@hooklet/config";
import { expect, test } from "@jest/globals";
import { type IsolationGround, isolationFacts, isolationTable } from "../../src/isolation-table.js";

const asRoot: IsolationGround = {
  isolation: { mode: "root", processesApart: true },
  cgroups: true,
  asRoot: true,
};
const asUser: IsolationGround = {
  isolation: { mode: "user", processesApart: true },
  cgroups: false,
  asRoot: false,
};
const none: IsolationGround = { isolation: { mode: "none", processesApart: false }, cgroups: false, asRoot: false };

test("the README has the rows of `hooklet describe node`", () => {
  const page = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  const renew = "build, then run: node scripts/generate-docs.mjs";
  expect({ renew, page }).toEqual({ renew, page: withGenerated(page, "isolation", isolationTable()) });
});

test.each<readonly [name: string, ground: IsolationGround, apart: string, partly: string]>([
  ["as root", asRoot, "mounts devices capabilities processes descriptors cgroups ipc", "files"],
  ["as an ordinary user", asUser, "mounts devices capabilities processes descriptors ipc", "files users"],
  ["without namespaces, as root", { ...none, asRoot: true }, "capabilities descriptors", ""],
  ["without namespaces, as an ordinary user", none, "descriptors", ""],
  [
    "without PID namespaces",
    { ...asRoot, isolation: { mode: "root", processesApart: false } },
    "mounts devices capabilities descriptors cgroups",
    "files ipc",
  ],
])("%s: what is isolated, and what in part", (_name, ground, apart, partly) => {
  const facts = isolationFacts(ground);
  const rows = (wanted: string) => facts.filter(({ isolated }) => isolated === wanted).map(({ what }) => what);
  expect([rows("yes").join(" "), rows("partly").join(" ")]).toEqual([apart, partly]);
});

const how = (ground: IsolationGround, what: string) => isolationFacts(ground).find((fact) => fact.what === what)?.how;

test("the capabilities that stay are those that the last step of the set-up needs", () => {
  const set = "containerd's default set";
  const [chroot, setuid] = ["sys_chroot stays", "setuid stays for other users than root"];
  expect(how(asRoot, "capabilities")).toBe(`${set}, add and drop; ${chroot}, ${setuid}`);
  expect(how(asUser, "capabilities")).toBe(`${set} within the user namespace, add and drop; ${chroot}`);
  expect(how({ ...none, asRoot: true }, "capabilities")).toBe(`${set}, add and drop; ${setuid}`);
});

test("the reason for missing namespaces is in one row, where it removes isolation", () => {
  const why = "the kernel forbids it";
  const withoutAny = { ...none, isolation: { ...none.isolation, why } };
  expect(how(withoutAny, "files")).toMatch(/: the kernel forbids it$/);
  expect(how(withoutAny, "processes")).not.toContain(why);
  const withoutPids = { ...asRoot, isolation: { mode: "root", processesApart: false, why } as const };
  expect(how(withoutPids, "processes")).toMatch(/: the kernel forbids it$/);
});

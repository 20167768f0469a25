import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { type FakeIo, fakeIo, hooklet, type Result } from "../../../binary.js";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-kubelet-"));
});

afterEach(() => rm(folder, { recursive: true }));

async function translated(configuration: object): Promise<Result> {
  await writeFile(path.join(folder, "config.yaml"), JSON.stringify(configuration));
  return hooklet("check --from-kubelet config.yaml", { ...fakeIo(), cwd: () => folder } as FakeIo);
}

test("prints an rc file with what has a counterpart, and names what has none; nothing is written", async () => {
  const { code, out, err } = await translated({
    kind: "KubeletConfiguration",
    maxPods: 60,
    tlsMinVersion: "VersionTLS12",
  });
  expect(code).toBe(0);
  expect(out).toMatch(/^# From config\.yaml, a KubeletConfiguration\.$/m);
  expect(parse(out).node).toEqual({ maxPods: 60 });
  expect(err).toMatch(/^no counterpart: tlsMinVersion: /m);
  expect(await readdir(folder)).toEqual(["config.yaml"]);
});

test("ends with 1 where an agent would not take the value, and names the option", async () => {
  const { code, err } = await translated({ kind: "KubeletConfiguration", maxPods: -5 });
  expect([code, err]).toEqual([1, expect.stringMatching(/^error: node\.maxPods: expected .*, found -5$/m)]);
});

test.each([
  ["another kind", { kind: "Pod" }, 'config.yaml: expected a KubeletConfiguration, found "Pod".'],
  ["no kind", {}, "config.yaml: expected a KubeletConfiguration, found nothing."],
  ["a list", [], "config.yaml: expected a KubeletConfiguration, found []."],
])("%s is refused", async (_name, configuration, says) => {
  expect(await translated(configuration)).toMatchObject({ code: 1, out: "", err: expect.stringContaining(says) });
});

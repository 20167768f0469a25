/** Every block of docs/reference/plugins.md is a file that does what the page says. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NodePlugin, StrategyEntry } from "@hooklet/core";
import { afterAll, describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { aPod, startTestAgent } from "../../../src/index.js";

const page = readFileSync(join(process.cwd(), "docs/reference/plugins.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "hooklet-guide-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const blocks = [...page.matchAll(/^```js\n\/\/ ([\w-]+\.mjs)([\s\S]*?)^```$/gm)].map(([, name = "", rest = ""]) => {
  writeFileSync(join(folder, name), `// ${name}${rest}`);
  return name;
});

async function load<T = NodePlugin>(name: string): Promise<T> {
  return ((await import(join(folder, name))) as { default: T }).default;
}

/** A strategy of the page, made with the defaults of its options. */
async function strategy(name: string): Promise<(input: object) => unknown> {
  const { options, create } = await load<StrategyEntry<(input: object) => unknown>>(name);
  const schema = typeof options === "function" ? options(z) : options;
  return create(schema.parse({}));
}

test("the page has these files and no others", () => {
  expect(blocks).toEqual(["owners.mjs", "region.mjs", "gone.mjs", "biggest-first.mjs", "patient.mjs"]);
  expect(page.match(/^```js$/gm)).toHaveLength(blocks.length);
});

describe("plugins", () => {
  test("owners rejects pods without an owner, and it is on record", async () => {
    const agent = await startTestAgent({
      plugins: [[await load("owners.mjs"), { label: "team" }]],
      pods: [aPod({ name: "lost" }), aPod({ name: "owned", labels: { team: "shop" } })],
    });
    await agent.waitFor(() => agent.pod("owned").status?.phase === "Running");
    expect(agent.pod("lost").status).toMatchObject({ phase: "Failed", reason: "NoOwner" });
    expect(agent.api.explain("pod", "lost").map(({ outcome }) => outcome)).toContain("label team is missing");
  });

  test("region gives every container its region", async () => {
    const agent = await startTestAgent({
      plugins: [[await load("region.mjs"), { region: "north" }]],
    });
    let region: string | undefined;
    agent.runtime.script({ pod: "web" }, (process) => {
      region = process.env.REGION;
    });
    await agent.apply(aPod({ name: "web" }));
    await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
    expect(agent.api.events().map(({ reason }) => reason)).toContain("RegionSet");
    expect(region).toBe("north");
  });

  test("gone counts, shows, saves, and knows it again after a restart", async () => {
    const agent = await startTestAgent({ plugins: [[await load("gone.mjs"), {}]], pods: [aPod({ name: "web" })] });
    await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
    await agent.delete("web");
    await agent.advance(60_000);
    const rows = async (): Promise<unknown> => (await agent.api.view("gone")).rows;
    expect(await rows()).toEqual([{ cause: "deleted", count: 1 }]);
    expect((await agent.api.metrics("/metrics"))?.body).toContain('gone_pods_total{cause="deleted"} 1');
    expect(await agent.api.plan("gone", { arguments: {} })).toMatchObject([{ outcome: "would save 1 causes" }]);
    expect(agent.api.plugins().find(({ name }) => name === "gone")?.health).toEqual({ ok: true, message: "saved" });
    await agent.restart();
    expect(await rows()).toEqual([{ cause: "deleted", count: 1 }]);
  });
});

describe("strategies", () => {
  test("biggest-first orders images by their size", async () => {
    const choose = await strategy("biggest-first.mjs");
    const image = (size: number): object => ({ names: [], size });
    expect(choose({ candidates: [image(1), image(3), image(2)] })).toEqual([image(3), image(2), image(1)]);
  });

  test("patient chooses as many as needed of those that have run for long, and declines where they do not free enough", async () => {
    const choose = await strategy("patient.mjs");
    const now = Date.UTC(2026, 10, 22, 12);
    const pod = (uid: string, startTime: string): object => ({
      uid,
      pod: { status: { startTime } },
      requests: { cpu: 500 },
    });
    const candidates = [
      pod("oldest", "2026-11-22T09:00:00Z"),
      pod("old", "2026-11-22T10:00:00Z"),
      pod("young", "2026-11-22T11:50:00Z"),
    ];
    expect(choose({ candidates, now, requirements: [{ resource: "cpu", quantity: 500 }] })).toEqual([
      { uid: "oldest", why: "has run for 1 h" },
    ]);
    expect(choose({ candidates, now, requirements: [{ resource: "cpu", quantity: 1200 }] })).toEqual({
      decline: "pods that have run for 1 h do not free enough",
    });
  });
});

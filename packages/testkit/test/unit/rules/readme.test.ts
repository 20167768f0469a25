import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { NodePlugin } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { aPod, startTestAgent } from "../../../src/index.js";

const { default: allowList } = (await import(join(process.cwd(), "examples/plugins/image-allow-list.mjs"))) as {
  default: NodePlugin;
};

test("a pod whose image is not on the list is rejected, and the others run", async () => {
  const agent = await startTestAgent({
    plugins: [[allowList, { allow: ["app:*"] }]],
    pods: [aPod({ name: "good" }), aPod({ name: "bad", containers: [{ image: "miner:1" }] })],
  });
  await agent.waitFor(() => agent.pod("good").status?.phase === "Running");
  expect(agent.pod("bad").status).toMatchObject({ phase: "Failed", reason: "ImageNotAllowed" });
  agent.runtime.exit("good", "main", 1); // the container crashes
  await agent.advance(60_000); // a minute passes
  expect(agent.pod("good").status?.containerStatuses?.[0]?.restartCount).toBe(1);
});

test("the README shows the test above", () => {
  const here = readFileSync(join(process.cwd(), "packages/testkit/test/unit/rules/readme.test.ts"), "utf8");
  const shown = readFileSync(join(process.cwd(), "packages/testkit/README.md"), "utf8");
  const example = /^test\("a pod whose image.*?^}\);$/ms;
  expect(example.exec(shown)?.[0]).toBe(example.exec(here)?.[0]);
});

import { expect, test } from "@jest/globals";
import { TestNode } from "./node.js";

const PODS = 10;

/** Ten pods of which every container has ended by itself in the same moment, on a runtime that takes so long for a sandbox. */
async function crowd(milliseconds: number): Promise<TestNode> {
  const made = new TestNode();
  made.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  made.runtime.delay("stopSandbox", milliseconds);
  const here = await made.start();
  here.runtime.script({ container: "main" }, (process) => process.after(10_000, () => process.exit(3)));
  for (let i = 0; i < PODS; i++) {
    await here.manifest(
      `web-${i}.yaml`,
      `
apiVersion: v1
kind: Pod
metadata: { name: web-${i} }
spec:
  restartPolicy: Never
  containers: [{ name: main, image: 'app:1' }]
`,
    );
  }
  await here.clock.advance(9_000);
  expect(here.runtime.calls.stopSandbox).toBe(0);
  await here.clock.advance(1_050);
  return here;
}

test("of a crowd that ends at once four sandboxes are stopped at a time; all ends are told meanwhile", async () => {
  const here = await crowd(500);
  expect(here.runtime.calls.stopSandbox).toBe(4);
  for (let i = 0; i < PODS; i++) expect(here.status(`web-${i}`).phase).toBe("Failed");
  await here.clock.advance(500);
  expect(here.runtime.calls.stopSandbox).toBe(8);
  await here.clock.advance(500);
  expect(here.runtime.calls.stopSandbox).toBe(PODS);
  await here.clock.advance(500);
});

test("a sandbox that is slow to stop keeps no other waiting for more than a second", async () => {
  const here = await crowd(20_000);
  expect(here.runtime.calls.stopSandbox).toBe(4);
  await here.clock.advance(1_000);
  expect(here.runtime.calls.stopSandbox).toBe(8);
  await here.clock.advance(1_000);
  expect(here.runtime.calls.stopSandbox).toBe(PODS);
  await here.clock.advance(20_000);
});

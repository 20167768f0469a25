/** Pods that were admitted before a restart of the agent, of which no container runs just then. */
import { expect, test } from "@jest/globals";
import { type NodeParts, TestNode } from "./node.js";

const POD = `
apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  nodeSelector: { disk: ssd }
  containers: [{ name: main, image: 'app:1' }]
`;

test("one that is in back-off while the agent restarts goes on, though a label went meanwhile", async () => {
  const parts: { node: NonNullable<NodeParts["node"]> } = { node: { labels: { disk: "ssd" } } };
  const here = new TestNode(parts);
  here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  here.runtime.script({ container: "main" }, (process) => process.after(1_000, () => process.exit(3)));
  await here.start();
  await here.manifest("web.yaml", POD);
  await here.clock.advance(15_000);
  const [before] = here.status("web").containerStatuses ?? [];
  expect(before?.state?.waiting?.reason).toBe("CrashLoopBackOff");
  await here.stop();
  parts.node = { labels: {} };
  await here.start();
  await here.clock.advance(60_000);
  expect(here.status("web").phase).toBe("Running");
  expect(here.status("web").containerStatuses?.[0]?.restartCount).toBeGreaterThan(before?.restartCount ?? 0);
});

test("one that is new is refused by the same labels", async () => {
  const here = await new TestNode().start();
  await here.manifest("web.yaml", POD);
  await here.clock.advance(1_000);
  expect(here.status("web")).toMatchObject({ phase: "Failed", reason: "NodeAffinity" });
});

import { describe, expect, test } from "@jest/globals";
import { TestNode } from "./node.js";

const simple = (name: string, more = ""): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  containers:
    - { name: main, image: "app:1" }
  ${more}
`;

async function node(): Promise<TestNode> {
  const made = new TestNode();
  made.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  return made.start();
}

describe("the life of a pod", () => {
  test("a manifest becomes a running, ready pod", async () => {
    const here = await node();
    await here.manifest("web.yaml", simple("web"));
    await here.clock.advance(1000);
    expect(here.status("web").phase).toBe("Running");
    expect(here.events()).toEqual([
      'Pulled: Container image "app:1" already present on machine',
      "Created: Created container: main",
      "Started: Started container main",
    ]);
  });

  test("a container that crashes is started at once, then after 10 s, 20 s, 40 s", async () => {
    const here = await node();
    here.runtime.script({ container: "main" }, { exit: { after: 0, code: 1 } } as never);
    await here.manifest("crash.yaml", simple("crash"));
    await here.clock.advance(5000);
    console.log(JSON.stringify(here.status("crash"), null, 1), here.events());
  });
});

/** What `hooklet explain` tells of every pod: where it stands, how it came there, what comes next and when. */
import { describe, expect, test } from "@jest/globals";
import { TestNode } from "./node.js";

const manifest = (name: string, spec: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec: ${spec}
`;

let here: TestNode;

async function node(): Promise<void> {
  here = new TestNode();
  here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  await here.start();
}

/** What is said now of a pod and of its containers. */
async function told(name = "web"): Promise<readonly string[]> {
  const said = await here.agent.api.explainNow("pod", name);
  return said.filter(({ plugin }) => plugin === "core").map(({ subject, outcome }) => `${subject}: ${outcome}`);
}

const POD = "pod/default/web-node1";
const MAIN = "container/default/web-node1/main";

describe("of a pod that", () => {
  test("was admitted and runs", async () => {
    await node();
    await here.manifest("web.yaml", manifest("web", "{ containers: [{ name: main, image: 'app:1' }] }"));
    await here.clock.advance(60_000);
    expect(await told()).toEqual([`${POD}: admitted 1m0s ago`, `${MAIN}: runs since 1m0s`]);
  });

  test("crashes: the last exit, the back-off, and when it comes again", async () => {
    await node();
    here.runtime.script({ container: "main" }, (process) => process.after(2000, () => process.exit(3)));
    await here.manifest("web.yaml", manifest("web", "{ containers: [{ name: main, image: 'app:1' }] }"));
    await here.clock.advance(7_000);
    const [, main] = await told();
    expect(main).toMatch(
      /: ended 3s ago with exit code 3 \(Error\) having run 2s; started again in 7s, after a back-off of 10s$/,
    );
    await here.clock.advance(8_000);
    expect((await told())[1]).toMatch(
      /runs since 1s \(restarted 2 times\); before that it ended 11s ago with exit code 3/,
    );
  });

  test("lacks its image: why, and when it is tried again", async () => {
    await node();
    const spec = "{ containers: [{ name: main, image: 'none:1', imagePullPolicy: Never }] }";
    await here.manifest("web.yaml", manifest("web", spec));
    await here.clock.advance(3_000);
    expect((await told())[1]).toMatch(
      /: waits \(ErrImageNeverPull: Container image "none:1" is not present with pull policy of Never\); tried again in 7s$/,
    );
  });

  test("waits for its init container", async () => {
    await node();
    const spec = "{ initContainers: [{ name: first, image: 'app:1' }], containers: [{ name: main, image: 'app:1' }] }";
    await here.manifest("web.yaml", manifest("web", spec));
    await here.clock.advance(3_000);
    expect((await told()).slice(1)).toEqual([
      "container/default/web-node1/first: runs since 3s",
      `${MAIN}: waits for init container first`,
    ]);
  });

  test("was refused: that it is not tried again, and what to do", async () => {
    await node();
    const spec = "{ containers: [{ name: main, image: 'app:1', resources: { requests: { cpu: '1000' } } }] }";
    await here.manifest("web.yaml", manifest("web", spec));
    await here.clock.advance(1_000);
    const all = await told();
    expect(all).toHaveLength(1);
    expect(all[0]).toMatch(/refused \(OutOfcpu\): .*; not tried again: make room or change the manifest/);
  });

  test("is done, and is not started again by its policy", async () => {
    await node();
    here.runtime.script({ container: "main" }, (process) => process.exit(0));
    await here.manifest(
      "web.yaml",
      manifest("web", "{ restartPolicy: Never, containers: [{ name: main, image: 'app:1' }] }"),
    );
    await here.clock.advance(5_000);
    const [pod, main] = await told();
    expect(pod).toBe(`${POD}: has ended: its containers are done; it is not started again`);
    expect(main).toMatch(/: ended 5s ago with exit code 0 \(Completed\); not started again$/);
  });

  test("is being stopped", async () => {
    await node();
    here.runtime.script({ container: "main" }, (process) =>
      process.onTerm(() => process.after(20_000, () => process.exit(0))),
    );
    await here.manifest("web.yaml", manifest("web", "{ containers: [{ name: main, image: 'app:1' }] }"));
    await here.clock.advance(5_000);
    await here.manifest("web.yaml", undefined);
    await here.clock.advance(4_000);
    expect((await told())[0]).toMatch(/: is being stopped since 4s: it was deleted; waits for container main to stop$/);
    await here.clock.advance(30_000);
  });
});

test("nothing is told of a pod that nobody knows", async () => {
  await node();
  expect(await told("nobody")).toEqual([]);
});

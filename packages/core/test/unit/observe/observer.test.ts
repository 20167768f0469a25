import { type ContainerStatus, RuntimeError, type RuntimeEvent } from "@hooklet/cri-api";
import { describe, expect, test } from "@jest/globals";
import { TestNode } from "../../agent/node.js";
import { manifest } from "../contract/plugin.js";

/** A running pod `web`; its container ends once 10 s have passed. */
async function node(): Promise<TestNode> {
  const here = new TestNode();
  here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  here.runtime.script({ container: "main" }, (process) => process.after(10_000, () => process.exit(7)));
  await here.start();
  await here.manifest("web.json", manifest("web", { restartPolicy: "Never" }));
  await here.clock.advance(5_000);
  expect(here.status("web").phase).toBe("Running");
  return here;
}

/** From now on the runtime answers for its containers through `answer`; the second function gives the number of calls. */
function answers(here: TestNode, answer: (status: ContainerStatus) => ContainerStatus): () => number {
  let calls = 0;
  const containerStatus = here.runtime.containerStatus.bind(here.runtime);
  here.runtime.containerStatus = async (id) => {
    calls++;
    return answer(await containerStatus(id));
  };
  return () => calls;
}

describe("the end of a container that was announced", () => {
  test("is seen within a second though the status still said running when it was announced", async () => {
    const here = await node();
    let late = 2;
    answers(here, (status) => (late-- > 0 ? { ...status, state: "CONTAINER_RUNNING" } : status));
    await here.clock.advance(6_000);
    expect(here.status("web")).toMatchObject({
      phase: "Failed",
      containerStatuses: [{ state: { terminated: { exitCode: 7 } } }],
    });
  });

  test("is seen when the first calls for its status fail", async () => {
    const here = await node();
    let failures = 3;
    answers(here, (status) => {
      if (failures-- > 0) throw new RuntimeError("unavailable", "connection reset");
      return status;
    });
    await here.clock.advance(8_000);
    expect(here.status("web").phase).toBe("Failed");
  });

  test("of a runtime that never admits it is not asked for without end", async () => {
    const here = await node();
    const calls = answers(here, (status) => ({ ...status, state: "CONTAINER_RUNNING" }));
    await here.clock.advance(60_000);
    expect(calls()).toBeLessThan(12);
  });
});

test("a container with endless events has one status call at a time, and one more for events that came meanwhile", async () => {
  const here = new TestNode();
  const listeners: ((event: RuntimeEvent) => void)[] = [];
  const subscribe = here.runtime.subscribe?.bind(here.runtime);
  Object.assign(here.runtime, {
    subscribe: (listener: (event: RuntimeEvent) => void) => {
      listeners.push(listener);
      return subscribe?.(listener) ?? (() => undefined);
    },
  });
  here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  await here.start();
  await here.manifest("web.json", manifest("web", {}));
  await here.clock.advance(5_000);
  const [{ id: containerId } = { id: "" }] = await here.runtime.listContainers();
  const { uid: podUid = "" } = here.pod("web").metadata;
  let reported = 0;
  const calls = answers(here, (status) => {
    // The runtime says running all the time, and that it has ended with each answer once more.
    if (reported < 1_000) tellOf(10);
    return status;
  });
  const tellOf = (times: number): void => {
    for (let index = 0; index < times; index++) {
      reported++;
      for (const listener of listeners) listener({ podUid, containerId, type: "CONTAINER_STOPPED" });
    }
  };
  tellOf(500);
  await here.clock.advance(10);
  expect(reported).toBeGreaterThan(500);
  expect(calls()).toBeLessThan(100);
});

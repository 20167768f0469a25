import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import type { NodeContext, PodsPort } from "../../src/plugin/contract.js";
import { TestNode } from "./node.js";

const manifest = (spec: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: web }
spec: ${spec}
`;

let pods: PodsPort | undefined;

const plugin = {
  meta: { name: "asking", api: 1 as const },
  options: z.strictObject({}),
  start(ctx: NodeContext) {
    pods = ctx.pods;
  },
};

async function node(): Promise<TestNode> {
  const here = new TestNode({
    plugins: [{ plugin, options: {}, specifier: "asking", origin: "test", file: "asking" }],
  });
  here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  return here.start();
}

const main = "containers: [{ name: main, image: 'app:1' }]";

describe("a status in the kubelet's words", () => {
  test("a container that is killed to be restarted does not make its pod Succeeded, whatever its exit code", async () => {
    const here = await node();
    await here.manifest("web.yaml", manifest(`{ restartPolicy: OnFailure, ${main} }`));
    await here.clock.advance(1_000);
    const { uid } = here.pod("web").metadata;
    pods?.restartContainer({ podUid: uid, container: "main" }, { message: "unwell" });
    await here.clock.advance(5_000);
    expect(here.status("web")).toMatchObject({
      phase: "Running",
      containerStatuses: [{ restartCount: 1, state: { running: {} } }],
    });
  });

  test("a pod that has ended keeps its address", async () => {
    const here = await node();
    here.runtime.script({ container: "main" }, (process) => process.after(1_000, () => process.exit(0)));
    await here.manifest("web.yaml", manifest(`{ restartPolicy: Never, ${main} }`));
    await here.clock.advance(500);
    const { podIP, podIPs } = here.status("web");
    expect(podIP).toEqual(expect.any(String));
    await here.clock.advance(5_000);
    expect(here.status("web")).toMatchObject({ phase: "Succeeded", podIP, podIPs });
  });

  test("what never ran in a pod that has ended is terminated as ContainerStatusUnknown", async () => {
    const here = await node();
    const containers =
      "containers: [{ name: main, image: 'app:1' }, { name: other, image: 'gone:1', imagePullPolicy: Never }]";
    await here.manifest("web.yaml", manifest(`{ activeDeadlineSeconds: 5, ${containers} }`));
    await here.clock.advance(60_000);
    expect(here.status("web").phase).toBe("Failed");
    expect(here.status("web").containerStatuses?.[1]?.state).toEqual({
      terminated: {
        exitCode: 137,
        reason: "ContainerStatusUnknown",
        message: "The container could not be located when the pod was terminated",
        startedAt: null,
        finishedAt: null,
      },
    });
  });

  test("main containers of a pod whose init container failed for good stay PodInitializing", async () => {
    const here = await node();
    here.runtime.script({ container: "init" }, (process) => process.exit(3));
    const init = "initContainers: [{ name: init, image: 'app:1' }]";
    await here.manifest("web.yaml", manifest(`{ restartPolicy: Never, ${init}, ${main} }`));
    await here.clock.advance(5_000);
    expect(here.status("web").phase).toBe("Failed");
    expect(here.status("web").containerStatuses?.[0]?.state).toEqual({ waiting: { reason: "PodInitializing" } });
  });

  test("a container that starts anew shows how it ended until it runs", async () => {
    const here = await node();
    here.runtime.script({ container: "main" }, (process) => process.after(1_000, () => process.exit(1)));
    await here.manifest("web.yaml", manifest(`{ ${main} }`));
    await here.clock.advance(500);
    here.runtime.delay("createContainer", 2_000);
    await here.clock.advance(1_500);
    expect(here.status("web").containerStatuses?.[0]?.state).toMatchObject({
      terminated: { reason: "Error", exitCode: 1 },
    });
    await here.clock.advance(13_000);
    expect(here.status("web").containerStatuses?.[0]).toMatchObject({
      restartCount: 1,
      state: { waiting: { reason: "CrashLoopBackOff", message: expect.stringContaining("back-off 10s restarting") } },
      lastState: { terminated: { exitCode: 1 } },
    });
  });

  test("a container that crashes at once is told as Started before its back-off is", async () => {
    const here = await node();
    here.runtime.script({ container: "main" }, (process) => process.exit(1));
    await here.manifest("web.yaml", manifest(`{ ${main} }`));
    await here.clock.advance(5_000);
    const told = here.events().map((event) => event.split(":")[0]);
    expect(told).toEqual(["Pulled", "Created", "Started", "BackOff"]);
  });
});

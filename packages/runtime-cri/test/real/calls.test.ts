/** A coarse limit: `pnpm bench cri` has the figures. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Containerd, describeOnContainerd } from "../containerd.js";
import { CriNode } from "../node.js";
import { pod } from "../pods.js";

const PODS = ["a", "b", "c", "d", "e"];

describeOnContainerd("calls of the runtime", () => {
  let containerd: Containerd;
  let node: CriNode;

  beforeAll(async () => {
    containerd = await Containerd.start("calls");
    node = await CriNode.create(containerd.endpoint);
    await node.start();
  }, 120_000);

  afterAll(async () => {
    await node?.remove();
    await containerd?.stop();
  }, 120_000);

  /** Operation -> calls so far. */
  async function calls(): Promise<ReadonlyMap<string, number>> {
    const { body = "" } = (await node.api.metrics("/metrics")) ?? {};
    const lines = body.matchAll(/^kubelet_runtime_operations_total\{operation_type="(\w+)"\} (\d+)$/gm);
    return new Map([...lines].map(([, operation = "", count]) => [operation, Number(count)]));
  }

  test("a pod with one container takes nine from its start to its end, and lists serve all pods at once", async () => {
    const before = await calls();
    for (const name of PODS) await node.manifest(`${name}.json`, pod(name));
    await node.ready(...PODS);
    for (const name of PODS) await node.removeManifest(`${name}.json`);
    await node.until("all sandboxes are gone", async () => (await node.runtime.listSandboxes()).length === 0);
    const after = await calls();
    const made = [...after].map(([operation, count]) => [operation, count - (before.get(operation) ?? 0)] as const);
    const each = made.filter(([operation]) => !/^(?:list|image)_/.test(operation));
    expect(Object.fromEntries(each)).toEqual({
      run_podsandbox: PODS.length,
      // For its addresses.
      podsandbox_status: PODS.length,
      create_container: PODS.length,
      start_container: PODS.length,
      // After the start for its time and image, after the end for its exit code and message.
      container_status: 2 * PODS.length,
      stop_container: PODS.length,
      stop_podsandbox: PODS.length,
      remove_podsandbox: PODS.length,
    });
    const lists = made.filter(([operation]) => /^(?:list|image)_/.test(operation));
    expect(lists.reduce((sum, [, count]) => sum + count, 0)).toBeLessThan(2 * PODS.length);
  }, 120_000);
});

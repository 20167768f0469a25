import type { Pod } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import { tapPredicates } from "../../../src/admission/core-tap.js";
import { createHooks, Stage } from "../../../src/hooks/hooks.js";
import { AdmissionVerdict } from "../../../src/hooks/verdict.js";
import { aNode, aPod, asking } from "./pods.js";

const { signal } = new AbortController();

function node(facts = () => aNode()) {
  const hooks = createHooks();
  tapPredicates(hooks, facts);
  const admit = (pod: Pod, otherPods: readonly Pod[] = [], isTakenOver = false) =>
    hooks.podAdmit.promise(AdmissionVerdict.admitted(), { pod, otherPods, running: [], isTakenOver, signal });
  return { hooks, admit };
}

describe("core's tap on podAdmit", () => {
  test("admits what fits and rejects what does not", async () => {
    const { admit } = node();
    const first = asking({ cpu: "1500m" });
    expect((await admit(first)).admitted).toBe(true);
    expect((await admit(asking({ cpu: "1" }), [first])).rejections).toMatchObject([{ reason: "OutOfcpu" }]);
    expect((await admit(asking({ cpu: "1" }))).admitted).toBe(true);
  });

  test("reads the node at every admission: devices come and go", async () => {
    let gpus = 0;
    const { admit } = node(() => aNode({ allocatable: { ...aNode().allocatable, "vendor.example/gpu": gpus } }));
    const pod = asking({ "vendor.example/gpu": "1" });
    expect((await admit(pod)).admitted).toBe(false);
    gpus = 1;
    expect((await admit(pod)).admitted).toBe(true);
  });

  test("rejects a pod that asks for a device that the node does not have, which a kubelet would run without it", async () => {
    const { rejections } = await node().admit(asking({ "vendor.example/gpu": "1" }));
    expect(rejections).toMatchObject([{ reason: "OutOfvendor.example/gpu" }]);
  });

  test("does not stop what was admitted before, though no container of it runs just now, when a label went or a taint came", async () => {
    const { admit } = node(() => aNode({ taints: [{ key: "drained", effect: "NoExecute" }] }));
    const pod = aPod({ nodeSelector: { disk: "ssd" } });
    expect((await admit(pod)).rejections).toMatchObject([{ reason: "NodeAffinity" }, { reason: "TaintToleration" }]);
    expect((await admit(pod, [], true)).admitted).toBe(true);
  });

  test("runs behind the checks, whose rejection is the one reported, and before the repairs", async () => {
    const { hooks, admit } = node();
    const seen: string[][] = [];
    const look = (verdict: AdmissionVerdict) => {
      seen.push(verdict.rejections.map(({ reason }) => reason));
      return verdict;
    };
    hooks.podAdmit.tap({ name: "repair", stage: Stage.repair }, look);
    hooks.podAdmit.tap({ name: "allocate", stage: Stage.check }, (verdict) =>
      verdict.reject({ reason: "UnexpectedAdmissionError", message: "no device" }),
    );
    const { rejections } = await admit(asking({ cpu: "9" }));
    expect(seen).toEqual([["UnexpectedAdmissionError", "OutOfcpu"]]);
    expect(rejections[0]?.message).toBe("no device");
  });
});

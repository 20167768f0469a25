/** Labels and taints of the Node in the API: which are the node's own, and which the agent takes over. */
import type { NodeTaint } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { NodeMirror } from "../../../src/node/node-mirror.js";

const taint = (key: string, effect = "NoSchedule"): NodeTaint => ({ key, effect }) as NodeTaint;

/** A node with labels and taints of its configuration. */
function mirrored() {
  const own = { labels: { zone: "a" } as Record<string, string>, taints: [taint("own")] };
  const given: { labels: Readonly<Record<string, string>>; taints: readonly NodeTaint[] } = { labels: {}, taints: [] };
  const reports: string[] = [];
  const node = {
    get labels() {
      return { ...own.labels, ...given.labels };
    },
    facts: () => ({ taints: [...own.taints, ...given.taints] }),
    setLabels: (labels: Readonly<Record<string, string>>) => {
      given.labels = labels;
    },
    setTaints: (taints: readonly NodeTaint[]) => {
      if (taints.some(({ key }) => key === "bad")) throw new Error("no taint");
      given.taints = taints;
    },
  };
  const mirror = new NodeMirror(node as unknown as ConstructorParameters<typeof NodeMirror>[0], (where, error) => {
    reports.push(`${where}: ${(error as Error).message}`);
  });
  const seen = (labels: Record<string, string> | undefined, taints?: readonly NodeTaint[]): void =>
    mirror.seen({ metadata: { name: "node1", labels }, spec: { taints } } as unknown as Parameters<
      typeof mirror.seen
    >[0]);
  return { own, given, reports, mirror, seen };
}

test("what the API has and the node does not set is taken over, and stays foreign", () => {
  const { given, mirror, seen } = mirrored();
  for (let time = 0; time < 2; time += 1) {
    seen({ zone: "b", team: "x" }, [taint("own"), taint("own", "NoExecute"), taint("foreign")]);
    expect(given).toEqual({ labels: { team: "x" }, taints: [taint("own", "NoExecute"), taint("foreign")] });
    expect([mirror.ownLabels(), mirror.ownTaints()]).toEqual([{ zone: "a" }, [taint("own")]]);
  }
});

test("what has gone in the API goes here too; a Node without any has none", () => {
  const { given, mirror, seen } = mirrored();
  seen({ team: "x", rack: "1" }, [taint("foreign"), taint("other")]);
  seen({ rack: "2" }, [taint("other")]);
  expect(given).toEqual({ labels: { rack: "2" }, taints: [taint("other")] });
  seen(undefined);
  expect(given).toEqual({ labels: {}, taints: [] });
  expect([mirror.ownLabels(), mirror.ownTaints()]).toEqual([{ zone: "a" }, [taint("own")]]);
});

test("what the node does not take is reported, and ends nothing", () => {
  const { given, reports, seen } = mirrored();
  seen({ team: "x" }, [taint("bad")]);
  expect([given.labels, reports]).toEqual([{ team: "x" }, ["labels and taints of the node: no taint"]]);
});

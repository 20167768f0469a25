/**
 * A field that hooklet accepts is obeyed: what an agent does with a pod that has it is not what it does with one that has not, or has
 * it otherwise. What is without effect on a node stands in a table with the reason, and is without effect.
 */

import type { Pod } from "@hooklet/core";
import { apiPod, readManifest } from "@hooklet/core/internal";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { staticPod } from "../../../../manifest/src/identity.js";
import { type Case, ofContainers, ofInitContainers, ofMainContainers, ofPods, oneValue } from "./accepted/cases.js";
import { decisions } from "./accepted/decisions.js";
import { type Product, products, type Trace, tracesOf } from "./accepted/trace.js";
import { accepted, type Manifest, put } from "./accepted/walk.js";
import { withoutEffect } from "./accepted/without-effect.js";

interface Row {
  readonly at: string;
  readonly one: Omit<Case, "shows">;
  /** Undefined: nowhere. */
  readonly shows?: Product;
}

const below = (prefix: string, cases: Readonly<Record<string, Case>>): readonly Row[] =>
  Object.entries(cases).map(([at, one]) => ({ at: `${prefix}${at}`, one, shows: one.shows }));

const effects = [
  ...below("", ofPods),
  ...below("spec.containers.", { ...ofContainers, ...ofMainContainers }),
  ...below("spec.initContainers.", { ...ofContainers, ...ofInitContainers }),
];
const noEffects = Object.entries(withoutEffect).map(
  ([at, { value }]): Row => ({ at, one: at.startsWith("spec.tolerations.") ? { value, base: tolerating } : { value } }),
);
const rows = [...effects, ...noEffects];

function tolerating(pod: Manifest): void {
  pod.spec.tolerations = [{ key: "a", operator: "Exists", effect: "NoExecute" }];
}

/** A container before the others is a sidecar, unless its case says otherwise. */
function manifestOf(at: string, { base }: Pick<Case, "base">, name: string, value: unknown): Manifest {
  const list = at.startsWith("spec.initContainers.") ? "initContainers" : "containers";
  const manifest: Manifest = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { containers: [{ name: "main", image: "app:1", command: ["app"] }] },
  };
  if (list === "initContainers") {
    manifest.spec.initContainers = [{ name: "side", image: "app:1", command: ["app"], restartPolicy: "Always" }];
  }
  base?.(manifest, manifest.spec[list][0]);
  // What bases share is not changed.
  const own = structuredClone(manifest);
  put(own, at, value);
  return own;
}

/** Pods that can be on one node together are in one agent: the one without, and then another one with the fields. */
const kindOf = ({ at, one }: Row): string => JSON.stringify([at.startsWith("spec.initContainers."), one.node]);
const batches = [...new Set(rows.map(kindOf))].map((kind) => rows.filter((row) => kindOf(row) === kind));

/** Milliseconds; on a machine that is busy. */
const LIMIT = 600_000;

const pairs = new Map<string, readonly [without: Trace | undefined, given: Trace | undefined]>();
beforeAll(async () => {
  for (const batch of batches) {
    const traced = async (which: "other" | "value"): Promise<readonly (Trace | undefined)[]> => {
      const pods = batch.map(({ at, one }, index) => ({
        manifest: manifestOf(at, one, `pod-${index}`, one[which]),
        ...(one.meanwhile && { meanwhile: one.meanwhile }),
      }));
      const traces = await tracesOf(pods, { labels: { disk: "ssd" }, ...batch[0]?.one.node });
      return pods.map(({ manifest }) => traces.get(manifest.metadata.name));
    };
    const [without, given] = [await traced("other"), await traced("value")];
    for (const [index, { at }] of batch.entries()) pairs.set(at, [without[index], given[index]]);
  }
}, LIMIT);

describe("an accepted field is obeyed:", () => {
  test.each(effects.map(({ at, shows = "status" }) => [at, shows] as const))("%s shows in %s", (at, product) => {
    const [without, given] = pairs.get(at) ?? [];
    expect(without).toBeDefined();
    expect(given?.[product]).not.toEqual(without?.[product]);
  });

  test.each(Object.entries(decisions))("%s shows in a decision", async (at, one) => {
    const decided = async (value: unknown) => one.decide(await read(manifestOf(at, one, "web", value)));
    expect(await decided(one.value)).not.toEqual(await decided(one.other));
  });

  test.each(Object.entries(oneValue))("%s has one value; another is refused by name", async (at, one) => {
    const name = at.split(".").at(-1);
    await expect(read(manifestOf(at, one, "web", one.value))).rejects.toThrow(new RegExp(`\\b${name}\\b`));
  });
});

test.each(Object.entries(withoutEffect))("%s is without effect", (at) => {
  const [without, given] = pairs.get(at) ?? [];
  expect(without).toBeDefined();
  for (const product of products) expect({ [product]: given?.[product] }).toEqual({ [product]: without?.[product] });
});

test("each accepted field has a case, or a reason why it is without effect", () => {
  const cases = new Set([...effects.map(({ at }) => at), ...Object.keys(decisions), ...Object.keys(oneValue)]);
  const reasons = Object.keys(withoutEffect);
  const isExcused = (at: string): boolean => reasons.some((field) => at === field || at.startsWith(`${field}.`));
  expect(accepted.filter((at) => !cases.has(at) && !isExcused(at))).toEqual([]);
  // And each case a field.
  expect([...cases].filter((at) => !accepted.includes(at))).toEqual([]);
  expect(reasons.filter((field) => !accepted.some((at) => at === field || at.startsWith(`${field}.`)))).toEqual([]);
});

async function read(manifest: Manifest): Promise<Pod> {
  const origin = { nodeName: "node1", seen: 0 };
  // Of a manifest in a folder a uid is kept.
  const identify = (pod: Manifest): Pod =>
    apiPod(pod, { ...origin, uid: staticPod(pod, { ...origin, source: "file", where: "/a" }).metadata.uid });
  const [pod] = await readManifest(JSON.stringify(manifest), "the test", identify);
  if (pod === undefined) throw new Error("no pod");
  return pod;
}

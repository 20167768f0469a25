/**
 * A field that hooklet accepts is obeyed, or stands below with the reason why a node has nothing to do for it. Each field of the API
 * type is known: accepted, refused by name, or written by the API server alone.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { expect, test } from "@jest/globals";
import { nothingProvided } from "../../../manifest/src/provided.js";
import { podShape } from "../../../manifest/src/schema/pod.js";
import type { Shape } from "../../../manifest/src/shape.js";

const packages = path.resolve(import.meta.dirname, "../../..");

/** Accepted, and nobody's business on a node. */
const withoutMeaning: Readonly<Record<string, string>> = {
  "spec.schedulerName": "read by schedulers",
  "spec.topologySpreadConstraints": "read by schedulers",
  "spec.affinity.podAffinity": "read by schedulers; the kubelet does not look at it either",
  "spec.affinity.podAntiAffinity": "read by schedulers; the kubelet does not look at it either",
  "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution": "read by schedulers",
  "spec.nodeName": "a manifest on a node is for that node",
  "spec.preemptionPolicy": "read by schedulers; critical pods preempt on the node whatever it says, as in the kubelet",
  "spec.tolerations.tolerationSeconds": "read by the controller that evicts pods from tainted nodes",
  "spec.enableServiceLinks": "without an API server there are no services; who provides their variables reads it",
  "spec.securityContext.fsGroupChangePolicy":
    "has no effect on emptyDir and hostPath, says Kubernetes; there are no others",
  "spec.automountServiceAccountToken": "without an API server there are no tokens to mount",
};

/** Packages that act on pods. */
const readers = readdirSync(packages).filter((name) => /^(core|manifest|runtime-|plugin-)/.test(name));

/** All code but that which only knows shapes, sets defaults and checks values: none of that is obeying. */
const code = readers.flatMap((name) => sources(path.join(packages, name, "src"))).join("\n");

function sources(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return /manifest\/src\/(schema|rules)$/.test(file) ? [] : sources(file);
    return /\.ts$/.test(file) && !/manifest\/src\/defaults\.ts$/.test(file)
      ? [withoutComments(readFileSync(file, "utf8"))]
      : [];
  });
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}

function* leaves(shape: Shape, at: string): Generator<string> {
  if (shape.is === "list" || shape.is === "map") yield* leaves(shape.of, at);
  else if (shape.is === "object") {
    for (const [name, field] of Object.entries(shape.fields)) yield* leaves(field, at === "" ? name : `${at}.${name}`);
  } else if (shape.is !== "refused" && shape.is !== "dropped") yield at;
}

const accepted = [...leaves(podShape(nothingProvided), "")].filter((at) => !["apiVersion", "kind"].includes(at));
const excused = (at: string): boolean =>
  Object.keys(withoutMeaning).some((field) => at === field || at.startsWith(`${field}.`));

test("every accepted field is read by code that acts on pods", () => {
  const ignored = accepted.filter((at) => !excused(at) && !new RegExp(`\\b${at.split(".").at(-1)}\\b`).test(code));
  expect(ignored).toEqual([]);
});

test("no field is excused that is not there", () => {
  const idle = Object.keys(withoutMeaning).filter(
    (field) => !accepted.some((at) => at === field || at.startsWith(`${field}.`)),
  );
  expect(idle).toEqual([]);
});

const types = readFileSync(
  createRequire(path.join(packages, "manifest/package.json")).resolve("kubernetes-types/core/v1.d.ts"),
  "utf8",
);

/** The fields of an interface of the API, each with the interface that it holds, in a list or a map too; none of a name that is no interface. */
function fieldsOf(name: string): readonly (readonly [field: string, type: string])[] {
  const body = new RegExp(`^export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`, "m").exec(types)?.[1] ?? "";
  return [...withoutComments(body).matchAll(/^ {4}"?(\w+)"?\??: (?:\{\s*\[name: string\]: |Array<)?(\w*)/gm)].map(
    ([, field = "", type = ""]) => [field, type],
  );
}

/** Every field below an interface that the shape does not know, by its path; what is refused or dropped is so with all below it. */
function* unknownFields(name: string, shape: Shape, at: string): Generator<string> {
  if (shape.is === "list" || shape.is === "map") return yield* unknownFields(name, shape.of, at);
  if (shape.is !== "object") return;
  for (const [field, type] of fieldsOf(name)) {
    const below = shape.fields[field];
    const path = `${at}.${field}`;
    if (below === undefined) yield path;
    else {
      seen.add(path);
      yield* unknownFields(type, below, path);
    }
  }
}

const seen = new Set<string>();

test("every field of the API's pod is known by name, however deep: accepted, refused or dropped", () => {
  const { fields } = podShape(nothingProvided) as Shape & { is: "object" };
  expect([...unknownFields("PodSpec", fields.spec as Shape, "spec")]).toEqual([]);
  // The walk went all the way down.
  for (const deep of [
    "spec.containers.livenessProbe.httpGet.httpHeaders.value",
    "spec.containers.env.valueFrom.fieldRef.fieldPath",
    "spec.containers.securityContext.seccompProfile.localhostProfile",
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.matchExpressions.values",
  ])
    expect(seen).toContain(deep);
  expect(seen.size).toBeGreaterThan(200);
});

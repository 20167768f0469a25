/** Each field of the API type is known by name: accepted (and obeyed, see accepted-fields), refused, or written by the API server alone. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { expect, test } from "@jest/globals";
import { nothingProvided } from "../../../../manifest/src/provided.js";
import { podShape } from "../../../../manifest/src/schema/pod-shape.js";
import type { Shape } from "../../../../manifest/src/shape.js";

const packages = path.resolve(import.meta.dirname, "../../../..");

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}

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

/** What those are shown of a pod who may not know what it knows. */
import { describe, expect, test } from "@jest/globals";
import { MASKED, withoutValues } from "../../src/without-values.js";
import { aPod } from "../samples.js";

const shown = (spec: object) => withoutValues(aPod("web", { spec })).spec as unknown;

describe("masked is", () => {
  test("each value of a variable, and no reference to one", () => {
    const env = [
      { name: "PASSWORD", value: "secret" },
      { name: "EMPTY", value: "" },
      { name: "KEY", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
      { name: "NONE" },
    ];
    const masked = [{ name: "PASSWORD", value: MASKED }, { name: "EMPTY", value: MASKED }, env[2], env[3]];
    for (const kind of ["containers", "initContainers", "ephemeralContainers"]) {
      expect(shown({ [kind]: [{ name: "c", image: "i", env }] })).toMatchObject({
        [kind]: [{ name: "c", image: "i", env: masked }],
      });
    }
  });

  test("the query of an HTTP probe and of an HTTP hook; the path stays", () => {
    const httpGet = { path: "/x?token=secret", port: 1 };
    const container = { name: "c", livenessProbe: { httpGet }, lifecycle: { postStart: { httpGet } } };
    const masked = { path: `/x?${MASKED}`, port: 1 };
    expect(shown({ containers: [container] })).toMatchObject({
      containers: [{ livenessProbe: { httpGet: masked }, lifecycle: { postStart: { httpGet: masked } } }],
    });
  });

  test("every word of a command, of containers, probes and hooks; how many they are stays", () => {
    const container = {
      name: "c",
      command: ["app", "--token=x"],
      args: ["y"],
      livenessProbe: { exec: { command: ["check", "z"] }, periodSeconds: 3 },
      lifecycle: { preStop: { exec: { command: ["stop"] } } },
    };
    expect(shown({ containers: [container] })).toMatchObject({
      containers: [
        {
          name: "c",
          command: [MASKED, MASKED],
          args: [MASKED],
          livenessProbe: { exec: { command: [MASKED, MASKED] }, periodSeconds: 3 },
          lifecycle: { preStop: { exec: { command: [MASKED] } } },
        },
      ],
    });
  });

  test("the value of a header", () => {
    const httpGet = { path: "/", port: 1, httpHeaders: [{ name: "Authorization", value: "Bearer x" }] };
    expect(shown({ containers: [{ name: "c", readinessProbe: { httpGet } }] })).toMatchObject({
      containers: [
        {
          readinessProbe: { httpGet: { path: "/", port: 1, httpHeaders: [{ name: "Authorization", value: MASKED }] } },
        },
      ],
    });
  });

  test("each annotation that is not a mark of Kubernetes' own", () => {
    const annotations = {
      "kubernetes.io/config.source": "file",
      "kubernetes.io/configured": "x",
      "kubectl.kubernetes.io/last-applied-configuration": "{}",
    };
    expect(withoutValues(aPod("web", { metadata: { annotations } })).metadata.annotations).toEqual({
      "kubernetes.io/config.source": "file",
      "kubernetes.io/configured": MASKED,
      "kubectl.kubernetes.io/last-applied-configuration": MASKED,
    });
  });
});

describe("as it was is", () => {
  test("everything else, and the pod that is not shown", () => {
    const pod = aPod("web", { metadata: { labels: { a: "b" } } });
    const before = structuredClone(pod);
    expect(withoutValues(pod)).toEqual(pod);
    expect(pod).toEqual(before);
    expect(withoutValues(pod).metadata).not.toHaveProperty("annotations");
  });

  test("what is named like something masked and is nothing of the kind", () => {
    const odd = { env: "x", command: "y", httpHeaders: null, args: { command: "z" }, value: "v" };
    expect(shown({ odd })).toMatchObject({ odd });
    expect(shown({ containers: [{ name: "c", env: ["x", null, 5] }] })).toMatchObject({
      containers: [{ env: ["x", null, 5] }],
    });
  });
});

test("the same pod is masked once", () => {
  const pod = aPod("web");
  expect(withoutValues(pod)).toBe(withoutValues(pod));
  expect(withoutValues(aPod("web"))).not.toBe(withoutValues(pod));
});

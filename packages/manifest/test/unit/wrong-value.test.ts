import { expect, test } from "@jest/globals";
import { wrongValue } from "../../src/wrong-value.js";

const pod = (container: object, spec: object = {}, metadata: object = {}) => ({
  metadata: { name: "web", ...metadata },
  spec: { containers: [{ name: "main", image: "app", ...container }], ...spec },
});
const MAX = 2 ** 31 - 1;

test.each([
  ["the least id", pod({ securityContext: { runAsUser: 0 } })],
  ["the largest id", pod({}, { securityContext: { fsGroup: MAX, supplementalGroups: [0, MAX] } })],
  [
    "the least and the largest int32",
    pod({}, { priority: -(2 ** 31), containers: [{ name: "a", terminationMessagePath: "" }] }),
  ],
  ["an int64 beyond what JavaScript counts", pod({}, { activeDeadlineSeconds: 2 ** 60 })],
  [
    "a port by number or name",
    pod({ livenessProbe: { httpGet: { port: 0 } }, readinessProbe: { httpGet: { port: "http" } } }),
  ],
  ["a quantity as a number or text", pod({ resources: { limits: { cpu: 0.5, memory: "1Gi" } } })],
  ["null for what is not there", pod({ args: null, env: null })],
  ["a field of another version", pod({ newField: 5 })],
])("%s is fine", (_, given) => {
  expect(wrongValue(given)).toBeUndefined();
});

test.each([
  ["an id below 0", pod({ securityContext: { runAsUser: -1 } }), "spec.containers[0].securityContext.runAsUser"],
  [
    "an id beyond the kernel's",
    pod({}, { securityContext: { supplementalGroups: [0, MAX + 1] } }),
    "spec.securityContext.supplementalGroups[1]",
  ],
  ["a fraction of an id", pod({ securityContext: { runAsUser: 0.5 } }), "a number from 0 to 2147483647"],
  ["an int32 above its bounds", pod({}, { priority: MAX + 1 }), "a whole number of 32 bits"],
  ["an int32 below its bounds", pod({}, { priority: -(2 ** 31) - 1 }), "a whole number of 32 bits"],
  ["an int64 above its bounds", pod({}, { activeDeadlineSeconds: 2 ** 64 }), "a whole number of 64 bits"],
  ["a port below 0", pod({ livenessProbe: { httpGet: { port: -1 } } }), "a port's number or name"],
  ["a flag as a text", pod({ tty: "true" }), "spec.containers[0].tty"],
  ["a number as a text", pod({ image: 5 }), "spec.containers[0].image"],
  [
    "a quantity that is none",
    pod({ resources: { limits: { cpu: true } } }),
    'spec.containers[0].resources.limits["cpu"]',
  ],
  ["an object for a list", pod({ args: {} }), "spec.containers[0].args"],
  ["a list for a map", pod({}, {}, { labels: [] }), "metadata.labels"],
  ["a text for an object", pod({ resources: "much" }), "spec.containers[0].resources"],
  ["null in a list", pod({ args: ["a", null] }), "spec.containers[0].args[1]: expected a value, found null"],
  [
    "a wrong ephemeral container",
    pod({}, { ephemeralContainers: [{ name: "debug", image: 5 }] }),
    "spec.ephemeralContainers[0].image",
  ],
])("%s is reported with its path", (_, given, recorded) => {
  expect(wrongValue(given)).toContain(recorded);
});

test.each(["labels", "annotations"])("%s have 256 KiB together, keys and values", (field) => {
  const of = (bytes: number) => pod({}, {}, { [field]: { key: "v".repeat(bytes - 3) } });
  expect(wrongValue(of(256 * 1024))).toBeUndefined();
  expect(wrongValue(of(256 * 1024 + 1))).toBe(`metadata.${field}: 262145 bytes, expected at most 262144`);
});

import { aPod } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { unsupported } from "../../../src/pods/api-pod.js";

const pod = (spec: object) => ({ ...aPod(), spec: { ...aPod().spec, ...spec } });

test.each<[string, object, RegExp | undefined]>([
  ["an ordinary pod", {}, undefined],
  ["hostUsers true", { hostUsers: true }, undefined],
  ["hostUsers false", { hostUsers: false }, /user namespaces/],
  ["claims of devices", { resourceClaims: [{ name: "gpu" }] }, /dynamic resource allocation/],
  ["no claims", { resourceClaims: [] }, undefined],
  [
    "a block device",
    { containers: [{ name: "c", volumeDevices: [{ name: "d", devicePath: "/dev/x" }] }] },
    /container c .* block volumes/,
  ],
])("%s: %j is refused by name, or not at all", (_name, spec, words) => {
  const refused = unsupported(pod(spec));
  if (words === undefined) expect(refused).toBeUndefined();
  else expect(refused).toMatch(words);
});

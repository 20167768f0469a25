import { expect, test } from "@jest/globals";
import { aPod } from "../../../../../server/test/samples.js";
import { missingObject } from "../../../../src/print/cause/facts.js";

const object = (kind: string, name: string) => ({
  cause: `${kind} ${name} is missing, and the pod needs it.`,
  next: `Apply a ${kind} of this name in namespace default, or mark it as optional; the pod then starts by itself.`,
});
const key = (kind: string, name: string, of: string) => ({
  cause: `${kind} ${of} has no key ${name}, and the pod needs it.`,
  next: `Add the key to the ${kind}, or name another key in its manifest and apply it again.`,
});
const referenced = (name: string) => ({
  cause: `A volume of the pod names the key ${name}, which its ConfigMap or Secret does not have.`,
  next: "Add the key, or name another one in its manifest and apply it again.",
});

test.each([
  ['configmap "a" not found', object("ConfigMap", "a")],
  ['MountVolume.SetUp failed for volume "v" : Secret "b" not found', object("Secret", "b")],
  ["couldn't find key k in ConfigMap default/a", key("ConfigMap", "k", "default/a")],
  ["couldn't find key k.txt in Secret default/a, or so", key("Secret", "k.txt", "default/a")],
  ["references non-existent config key: k", referenced("k")],
  ["references non-existent secret key: k", referenced("k")],
  ['pod "a" not found', undefined],
  ["something else", undefined],
])("%s", (message, expected) => expect(missingObject(message, aPod("web"))).toEqual(expected));

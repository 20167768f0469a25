import { describe, expect, test } from "@jest/globals";
import { recursiveReadOnly } from "../../../../src/pod/spec/mounts.js";

const mount = (fields: object) => ({ name: "v", mountPath: "/v", readOnly: true, ...fields });
const said = (fields: object, supported: boolean): boolean | string => {
  try {
    return recursiveReadOnly(mount(fields), supported);
  } catch (error) {
    return (error as Error).message;
  }
};
const ASKED = 'volume "v" requested recursive read-only mode, but it is';

describe("a mount is read-only with all below it (the kubelet's resolveRecursiveReadOnly)", () => {
  test.each([
    ["nothing is asked", {}, false, false],
    ["Disabled", { recursiveReadOnly: "Disabled" }, false, false],
    ["IfPossible", { recursiveReadOnly: "IfPossible" }, true, false],
    ["Enabled", { recursiveReadOnly: "Enabled" }, true, `${ASKED} not supported by the runtime`],
    ["Enabled, writable", { recursiveReadOnly: "Enabled", readOnly: false }, ...twice(`${ASKED} not read-only`)],
    [
      "IfPossible, propagated",
      { recursiveReadOnly: "IfPossible", mountPropagation: "HostToContainer" },
      ...twice(`${ASKED} not compatible with propagation "HostToContainer"`),
    ],
    ["another word", { recursiveReadOnly: "Yes" }, ...twice('unknown recursive read-only mode "Yes"')],
  ])("%s", (_name, fields, where, elsewhere) => {
    expect([said(fields, true), said(fields, false)]).toEqual([where, elsewhere]);
  });
});

function twice(text: string): [string, string] {
  return [text, text];
}

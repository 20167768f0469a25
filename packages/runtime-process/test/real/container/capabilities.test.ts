import { describe, expect, test } from "@jest/globals";
import { securityContext } from "../../../../testkit/src/runtime-suite/configs.js";
import { boundingSet } from "../../../src/container/check-supported.js";

const setOf = (add: readonly string[], drop: readonly string[], keep: readonly string[] = [], privileged = false) =>
  boundingSet({ ...securityContext, privileged, capabilities: { add, drop } }, keep)?.split(",");

/** containerd's. */
const DEFAULT = [
  ...["+audit_write", "+chown", "+dac_override", "+fowner", "+fsetid", "+kill", "+mknod"],
  ...["+net_bind_service", "+net_raw", "+setfcap", "+setgid", "+setpcap", "+setuid", "+sys_chroot"],
];

describe("a container's capabilities", () => {
  test("are fourteen by default, and no others", () => {
    expect(setOf([], [])).toEqual(["-all", ...DEFAULT]);
  });

  test.each([
    { name: "a privileged one has all", found: () => setOf([], ["ALL"], [], true), expected: undefined },
    { name: "all that are added are all", found: () => setOf(["ALL"], []), expected: undefined },
    { name: "one more", found: () => setOf(["NET_ADMIN"], []), expected: ["-all", ...DEFAULT, "+net_admin"] },
    {
      name: "one that is there already is there once",
      found: () => setOf(["CHOWN"], []),
      expected: ["-all", ...DEFAULT],
    },
    {
      name: "one less",
      found: () => setOf([], ["NET_RAW"]),
      expected: ["-all", ...DEFAULT.filter((one) => one !== "+net_raw")],
    },
    { name: "none", found: () => setOf([], ["ALL"]), expected: ["-all"] },
    {
      name: "none but one",
      found: () => setOf(["NET_BIND_SERVICE"], ["ALL"]),
      expected: ["-all", "+net_bind_service"],
    },
    { name: "all but one", found: () => setOf(["ALL"], ["SYS_ADMIN"]), expected: ["+all", "-sys_admin"] },
    {
      name: "names as the kernel has them",
      found: () => setOf(["CAP_net_Admin"], ["all"]),
      expected: ["-all", "+net_admin"],
    },
    { name: "what the set-up needs stays", found: () => setOf([], ["ALL"], ["setuid"]), expected: ["-all", "+setuid"] },
    {
      name: "also of all but that",
      found: () => setOf(["ALL"], ["SETUID", "KILL"], ["setuid"]),
      expected: ["+all", "-kill"],
    },
  ])("$name", ({ found, expected }) => {
    expect(found()).toEqual(expected);
  });

  test.each([
    { name: "one", found: () => setOf(["NET_ADMIN"], ["NET_ADMIN"]), expected: ["-all", ...DEFAULT] },
    { name: "all", found: () => setOf(["ALL"], ["ALL"], ["setuid"]), expected: ["-all", "+setuid"] },
    { name: "one of none", found: () => setOf(["ALL", "KILL"], ["ALL", "KILL"]), expected: ["-all"] },
    { name: "all, and one by its name", found: () => setOf(["ALL", "KILL"], ["ALL"]), expected: ["-all", "+kill"] },
  ])("dropping has the last word, as with containerd: $name", ({ found, expected }) => {
    expect(found()).toEqual(expected);
  });

  test.each(["NET ADMIN", "", "CAP_", "1X", "a,b", "NET_ADMIN\n"])("the name %j is refused, by name", (name) => {
    const message = `capabilities: expected names like NET_ADMIN, found ${JSON.stringify(name)}, which the kernel does not have`;
    const said = expect.objectContaining({ code: "invalid-argument", message });
    expect(() => setOf([name], [])).toThrow(said);
    expect(() => setOf([], [name])).toThrow(said);
  });
});

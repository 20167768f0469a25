import { expect, test } from "@jest/globals";
import { CallError, Code } from "../../src/call-errors.js";
import type { Calls } from "../../src/calls.js";
import { configFacts } from "../../src/connect.js";

const facts = (answer: () => unknown) =>
  configFacts({
    call: async (rpc: string) => (rpc === "Status" ? { info: {}, runtimeHandlers: [] } : answer()),
  } as unknown as Calls);

test.each([
  { name: "says systemd", linux: { cgroupDriver: "SYSTEMD" }, cgroupDriver: "systemd" },
  { name: "says cgroupfs", linux: { cgroupDriver: "CGROUPFS" }, cgroupDriver: "cgroupfs" },
  { name: "is none of Linux", linux: null, cgroupDriver: undefined },
])("the cgroup driver of a runtime that $name", async ({ linux, cgroupDriver }) => {
  expect((await facts(() => ({ linux }))).cgroupDriver).toBe(cgroupDriver);
});

test("a runtime without the call has no cgroup driver; any other error is reported", async () => {
  const failing = (code: number) => () => {
    throw new CallError("RuntimeConfig", code, "no");
  };
  expect(await facts(failing(Code.UNIMPLEMENTED))).not.toHaveProperty("cgroupDriver");
  await expect(facts(failing(Code.UNAVAILABLE))).rejects.toMatchObject({ code: "unavailable" });
});

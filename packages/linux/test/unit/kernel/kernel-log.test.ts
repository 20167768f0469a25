import { expect, test } from "@jest/globals";
import { parseKernelRecord, readKernelLog } from "../../../src/kernel/kernel-log.js";

test("a record is its number, its time and its text, without its dictionary", () => {
  expect(parseKernelRecord("6,339,5140900,-,caller=T1;NET: Registered; family 10\n SUBSYSTEM=net\n")).toEqual({
    sequence: 339,
    at: 5_140_900,
    text: "NET: Registered; family 10",
  });
});

test.each(["", "no record", "6,x,1,-;text"])("%p is none", (line) => {
  expect(parseKernelRecord(line)).toBeUndefined();
});

test("what a process wrote is not the kernel's word", () => {
  const text = "Memory cgroup out of memory: Killed process 1 (init) total-vm:1kB";
  expect(parseKernelRecord(`6,1,2,-;${text}`)).toMatchObject({ text });
  expect(parseKernelRecord(`14,1,2,-;${text}`)).toBeUndefined();
});

test("the machine's own log is read in order, or not at all where it is not readable", () => {
  const log = readKernelLog();
  const numbers = (log ?? []).map(({ sequence }) => sequence);
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect(readKernelLog("/dev/no-such-log")).toBeUndefined();
});

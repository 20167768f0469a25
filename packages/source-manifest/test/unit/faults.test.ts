import { ManifestError } from "@hooklet/manifest";
import { beforeEach, expect, test } from "@jest/globals";
import { FaultLedger, faultOf } from "../../src/faults.js";

let told: string[];
let faults: FaultLedger;
beforeEach(() => {
  told = [];
  faults = new FaultLedger({
    fault: ({ where, message }: { where: string; message: string }) => told.push(`${where}: ${message}`),
    mended: (where: string) => told.push(`${where} is mended`),
  } as never);
});

test("a fault is reported once, and again with another message", () => {
  for (const message of ["bad", "bad", "worse", "bad"]) faults.report("web.yaml", { where: "web.yaml:1", message });
  expect(told).toEqual(["web.yaml:1: bad", "web.yaml:1: worse", "web.yaml:1: bad"]);
});

test("a fault that moves to another line is mended where it was, and reported where it is", () => {
  faults.report("web.yaml", { where: "web.yaml:1", message: "bad" });
  faults.report("web.yaml", { where: "web.yaml:2", message: "bad" });
  expect(told).toEqual(["web.yaml:1: bad", "web.yaml:1 is mended", "web.yaml:2: bad"]);
  expect(faults.keys()).toEqual(["web.yaml"]);
});

test("a fault that is mended is taken back once; what had none is not reported", () => {
  faults.report("web.yaml", { where: "web.yaml:1", message: "bad" });
  for (const key of ["other.yaml", "web.yaml", "web.yaml"]) faults.mended(key);
  expect(told).toEqual(["web.yaml:1: bad", "web.yaml:1 is mended"]);
  expect(faults.keys()).toEqual([]);
});

test("a place with two faults is mended with the last of them", () => {
  faults.report("a", { where: "folder", message: "bad" });
  faults.report("b", { where: "folder", message: "worse" });
  faults.mended("a");
  expect(told).toEqual(["folder: bad", "folder: worse"]);
  expect(faults.keys()).toEqual(["b"]);
  faults.mended("b");
  expect(told.at(-1)).toBe("folder is mended");
});

test("an error in a manifest stands at its line, any other one at the file", () => {
  const error = new ManifestError("web.yaml", [{ message: "expected a name", line: 3 }]);
  expect(faultOf(error, "elsewhere")).toEqual({ where: "web.yaml:3", message: "expected a name" });
  expect(faultOf(new Error("permission denied"), "web.yaml")).toEqual({
    where: "web.yaml",
    message: "permission denied",
  });
});

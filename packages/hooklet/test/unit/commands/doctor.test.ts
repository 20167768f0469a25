import { expect, test } from "@jest/globals";
import { configFault } from "../../../src/commands/doctor.js";
import { portNumber } from "../../../src/run/boot-config.js";

const ofFile = { file: "/etc/hooklet/.hookletrc.yaml", path: "port", expected: "a port", found: '"x"' };
const ofOption = { file: "--runtime", path: "runtime", expected: "a runtime", found: '"foo"' };

test.each([
  { faults: [ofFile], said: "1 fault in the rc file" },
  { faults: [ofFile, ofFile], said: "2 faults in the rc file" },
  { faults: [ofOption], said: '--runtime: expected a runtime, found "foo"' },
  { faults: [ofOption, ofFile], said: '1 fault in the rc file; --runtime: expected a runtime, found "foo"' },
])("a fault of an option is named with its value; those of the rc file are counted: $said", ({ faults, said }) => {
  expect(configFault(faults)).toBe(said);
});

test("--port is checked as hooklet run checks it", () => {
  expect(() => portNumber("70000")).toThrow(
    '--port: expected a port number from 1 to 65535, or 0 for none, found "70000"',
  );
});

import { ManifestError } from "@hooklet/manifest";
import { expect, test } from "@jest/globals";
import { errorAnswer } from "../../../src/wire/error-body.js";

test("several faults of a manifest have a line each, in the file's order", () => {
  const faults = [
    { line: 9, message: "no image" },
    { line: 8, message: "unknown field prots" },
  ];
  expect(errorAnswer(new ManifestError("pod.yaml", faults)).body.error).toBe(
    "pod.yaml has 2 faults; nothing of it was used.\n  pod.yaml:8: unknown field prots\n  pod.yaml:9: no image",
  );
  expect(errorAnswer(new ManifestError("pod.yaml", faults.slice(0, 1))).body.error).toBe("pod.yaml:9: no image");
});

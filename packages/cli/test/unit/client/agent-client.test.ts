import { expect, test } from "@jest/globals";
import { failingParts } from "../../../src/client/agent-client.js";

test.each([
  [
    "The agent answered with status 500: [+]sources ok\n[-]runtime cri failed: container runtime is down\n[+]plugin a ok\nreadyz check failed\n",
    "runtime cri: container runtime is down",
  ],
  ["[-]sources failed: not read yet: x\n[-]plugin a failed: no\n", "sources: not read yet: x; plugin a: no"],
  ["no agent answers", "no agent answers"],
])("%j: %s", (text, expected) => expect(failingParts(text)).toBe(expected));

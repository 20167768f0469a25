import { expect, test } from "@jest/globals";
import { containerLog, type LogParts } from "../../../src/agent/pod-requests.js";
import { aPod } from "../../pod/pods.js";

const parts: LogParts = {
  manager: { worker: () => undefined, get: () => undefined },
  runtime: { logFormat: "cri" },
  podLogsDir: "/var/log/pods",
};

test.each([
  {
    name: "waits for its first start",
    status: {},
    says: 'has not started yet, so there is no log. "hooklet explain pod web" says what it waits for.',
  },
  {
    name: "was refused",
    status: { phase: "Failed", reason: "OutOfcpu" },
    says: 'was never started: the pod failed before (OutOfcpu). "hooklet explain pod web" says why.',
  },
])("there is no log of a container that $name", ({ status, says }) => {
  const pod = { ...aPod({ containers: [{ name: "main", image: "app:1" }] }, { name: "web" }), status };
  expect(() => containerLog(parts, pod, undefined, false)).toThrow(says);
});

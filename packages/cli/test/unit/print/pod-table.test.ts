import { expect, test } from "@jest/globals";
import { aPod, NOW } from "../../../../server/test/samples.js";
import { labelsText, podRows, podTable, severalNamespaces } from "../../../src/print/pod-table.js";

const pod = aPod("web", {
  metadata: { labels: { tier: "b", app: "a" } },
  status: {
    containerStatuses: [
      {
        name: "main",
        ready: true,
        restartCount: 2,
        image: "",
        imageID: "",
        state: { running: {} },
        lastState: { terminated: { exitCode: 1, finishedAt: "2026-11-21T09:59:50Z" } },
      },
    ],
  },
});
const bare = { metadata: { name: "a", namespace: "team", uid: "u" }, spec: { containers: [{ name: "c" }] } };

test("kubectl's columns, all of them", () => {
  expect(podRows([pod, bare], { wide: true, namespaces: true, labels: true, now: NOW })).toEqual({
    head: ["NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "LABELS"],
    rows: [
      ["default", "web", "1/1", "Running", "2 (10s ago)", "60s", "10.0.0.1", "node1", "app=a,tier=b"],
      ["team", "a", "0/1", "Pending", "0", "<unknown>", "<none>", "<none>", "<none>"],
    ],
  });
});

test("and those of the plain table", () => {
  expect(podTable([pod], { wide: false, namespaces: false, now: NOW })).toBe(
    "NAME   READY   STATUS    RESTARTS      AGE\nweb    1/1     Running   2 (10s ago)   60s",
  );
});

test("a pod without a time of creation is as old as its start", () => {
  const { rows } = podRows(
    [aPod("web", { metadata: { creationTimestamp: undefined }, status: { startTime: "2026-11-21T09:59:30Z" } })],
    {
      wide: false,
      namespaces: false,
      now: NOW,
    },
  );
  expect(rows[0]?.[4]).toBe("30s");
});

test("two namespaces are several, one is not", () => {
  expect([severalNamespaces([]), severalNamespaces([pod, pod]), severalNamespaces([pod, bare])]).toEqual([
    false,
    false,
    true,
  ]);
  expect(labelsText({})).toBe("<none>");
});

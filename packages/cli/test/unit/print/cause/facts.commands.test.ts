import { expect, test } from "@jest/globals";
import { aPod } from "../../../../../server/test/samples.js";
import {
  changed,
  deleteCommand,
  isStatic,
  logsCommand,
  startAnew,
  waitCommand,
} from "../../../../src/print/cause/facts.js";

const of = (source: string) => aPod("web", { metadata: { annotations: { "kubernetes.io/config.source": source } } });
const elsewhere = aPod("dns", {
  metadata: { namespace: "kube-system" },
  spec: { containers: [{ name: "a" }, { name: "b" }] },
});

test.each([
  ["file", true],
  ["http", true],
  ["api", false],
  ["", false],
])("a pod of source %j is static: %s", (source, expected) => expect(isStatic(of(source))).toBe(expected));

test("a pod of the default namespace is named without it", () => {
  expect(deleteCommand(aPod("web"))).toBe("hooklet delete pod web");
  expect(deleteCommand(elsewhere)).toBe("hooklet delete pod dns -n kube-system");
  expect(waitCommand(aPod("web"))).toBe("hooklet wait --for condition=Ready pod/web");
  expect(waitCommand(elsewhere)).toBe("hooklet wait --for condition=Ready pod/dns -n kube-system");
});

test("a container is named where it is not the only one", () => {
  expect(logsCommand(aPod("web"), "main", false)).toBe("hooklet logs web");
  expect(logsCommand(aPod("web"), "main", true)).toBe("hooklet logs web -p");
  expect(logsCommand(aPod("web"), "prep", false)).toBe("hooklet logs web -c prep");
  expect(logsCommand(elsewhere, "a", true)).toBe("hooklet logs dns -n kube-system -c a -p");
});

test("a pod of a file is changed there, another one applied again", () => {
  expect(changed(of("file"))).toBe("in its manifest file");
  expect(changed(of("api"))).toBe("in its manifest and apply it again");
  expect(startAnew(of("http"))).toBe("then change its manifest file, which restarts it");
  expect(startAnew(of("api"))).toBe("then hooklet delete pod web and apply it again");
});

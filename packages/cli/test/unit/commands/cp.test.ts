import { expect, test } from "@jest/globals";
import { parsePlace } from "../../../src/commands/cp.js";

const remote = (name: string, namespace: string, path: string) => ({ kind: "remote", pod: { name, namespace }, path });

test.each<[string, object]>([
  ["web:/a", remote("web", "here", "/a")],
  ["web:a:b", remote("web", "here", "a:b")],
  ["team/web:/a", remote("web", "team", "/a")],
  ["pod/web:/a", remote("web", "here", "/a")],
  ["po/web:a", remote("web", "here", "a")],
  ["pods/web:a", remote("web", "here", "a")],
  ["a", { kind: "local", path: "a" }],
  ["./a:b", { kind: "local", path: "./a:b" }],
  ["/a:b", { kind: "local", path: "/a:b" }],
  [":a", { kind: "local", path: ":a" }],
])("%s", (text, expected) => expect(parsePlace(text, "here")).toEqual(expected));

test.each([
  ["web:", 'cp: expected a path behind the colon, found "web:".'],
  ["a/b/c:d", 'cp: expected POD:PATH or NAMESPACE/POD:PATH, found "a/b/c:d".'],
  ["a/:d", 'cp: expected POD:PATH or NAMESPACE/POD:PATH, found "a/:d".'],
])("%s is refused", (text, message) => expect(() => parsePlace(text, "here")).toThrow(message));

import { expect, test } from "@jest/globals";
import { parseSelector } from "../../src/selector.js";

const labels = { app: "web", tier: "front", "example.com/x": "a_b", empty: "" };

test.each([
  ["", true],
  ["  ", true],
  ["app=web", true],
  ["app==web", true],
  ["app = web", true],
  ["app=db", false],
  ["app!=db", true],
  ["app!=web", false],
  ["gone!=web", true],
  ["empty=", true],
  ["gone=", false],
  ["app in (web,db)", true],
  ["app in ( db , web )", true],
  ["app in (db)", false],
  ["gone in (web)", false],
  ["app notin (db)", true],
  ["app notin (web)", false],
  ["gone notin (web)", true],
  ["app", true],
  ["gone", false],
  ["!gone", true],
  ["! gone", true],
  ["!app", false],
  ["example.com/x=a_b", true],
  ["app=web,tier in (back,front),!gone", true],
  ["app=web,tier=back", false],
])("%j means these labels: %s", (text, expected) => expect(parseSelector(text)(labels)).toBe(expected));

test.each(["=web", "app=a b", "app in web", "app in (a", "-app", "app=-", "a=b=c", "app=web,"])(
  "%j is refused",
  (text) => {
    expect(() => parseSelector(text)).toThrow(
      `--selector: expected for example "app=web,tier in (a,b),!old", found ${JSON.stringify(text)}`,
    );
  },
);

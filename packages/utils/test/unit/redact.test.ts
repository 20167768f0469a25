import { describe, expect, test } from "@jest/globals";
import { withoutPasswords } from "../../src/redact.js";

describe("passwords of URLs", () => {
  test.each([
    { text: "https://me:secret@host/", told: "https://me:xxxxx@host/" },
    { text: "https://:secret@host", told: "https://:xxxxx@host" },
    { text: "https://me:a:b@c@host", told: "https://me:xxxxx@host" },
    { text: 'see "http://a:b@c" and //d:e@f', told: 'see "http://a:xxxxx@c" and //d:xxxxx@f' },
    { text: "https://host:8080/a@b", told: "https://host:8080/a@b" },
    { text: "https://me@host:1/", told: "https://me@host:1/" },
    { text: "a:b@c", told: "a:b@c" },
    { text: "http://host:80 mail me@x", told: "http://host:80 mail me@x" },
  ])("$text is shown as $told", ({ text, told }) => expect(withoutPasswords(text)).toBe(told));
});

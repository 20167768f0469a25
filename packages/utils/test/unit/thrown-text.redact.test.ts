import { describe, expect, test } from "@jest/globals";
import { withoutPasswords } from "../../src/thrown-text.js";

describe("passwords of URLs", () => {
  test.each([
    { text: "https://me:secret@host/", shown: "https://me:xxxxx@host/" },
    { text: "https://:secret@host", shown: "https://:xxxxx@host" },
    { text: "https://me:a:b@c@host", shown: "https://me:xxxxx@host" },
    { text: 'see "http://a:b@c" and //d:e@f', shown: 'see "http://a:xxxxx@c" and //d:xxxxx@f' },
    { text: "https://host:8080/a@b", shown: "https://host:8080/a@b" },
    { text: "https://me@host:1/", shown: "https://me@host:1/" },
    { text: "a:b@c", shown: "a:b@c" },
    { text: "http://host:80 mail me@x", shown: "http://host:80 mail me@x" },
  ])("$text is shown as $shown", ({ text, shown }) => expect(withoutPasswords(text)).toBe(shown));
});

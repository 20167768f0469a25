import { describe, expect, test } from "@jest/globals";
import { serverUrl } from "../../../src/stream/stream-connection.js";

const OWN = ["10.0.0.7", "fd00::7"];
const here = (text: string): URL => serverUrl(text, () => OWN);

describe("a streaming server on this machine is taken", () => {
  test.each([
    "http://127.0.0.1:40000/exec/x",
    "https://127.8.9.10/exec/x",
    "http://127.1:1/x",
    "http://localhost:1/x",
    "http://[::1]:1/x",
    "http://0.0.0.0:1/x",
    "http://[::]:1/x",
    "http://10.0.0.7:1/x",
    "https://[fd00:0::7]:1/x",
  ])("%s", (text) => expect(here(text)).toBeInstanceOf(URL));
});

describe("a streaming server elsewhere is refused", () => {
  test.each([
    "http://10.0.0.8:1/x",
    "http://169.254.169.254/latest/meta-data",
    "http://example.com/x",
    "http://127.0.0.1.example.com/x",
    "http://127.0.0.1@example.com/x",
    "http://localhost.example.com/x",
    "http://[::ffff:10.0.0.8]/x",
    "http://[fd00::8]/x",
    "http://2130706434.example/x",
  ])("%s", (text) => expect(() => here(text)).toThrow("expected an address of this machine"));

  test.each(["ftp://127.0.0.1/x", "file:///etc/passwd", "/exec/x", ""])("%j, which is no such URL", (text) =>
    expect(() => here(text)).toThrow("expected an http or https URL"),
  );
});

/** A certificate and its key as one text. */
import { expect, test } from "@jest/globals";
import { certificateLife, isOf, pairText, readPair } from "../../../src/certificates/pair.js";
import { FROM, pairOf, UNTIL } from "./sign.js";

test("all that a pair says is read from its text, whatever stands around it", async () => {
  const names = [
    { type: "dns", value: "node1" },
    { type: "ip", value: "192.0.2.1" },
    { type: "dns", value: "alias" },
    { type: "ip", value: "fd00::1" },
  ] as const;
  const { cert, key } = await pairOf("O=system:nodes, CN=system:node:node1", names);
  const pair = {
    cert,
    key,
    notBefore: FROM,
    notAfter: UNTIL,
    subject: ["O=system:nodes", "CN=system:node:node1"],
    dnsNames: ["alias", "node1"],
    ipAddresses: ["192.0.2.1", "fd00::1"],
  };
  expect(readPair(`${cert}${key}`, "a file")).toEqual(pair);
  expect(readPair(`# mine\n${key}\nsome words\n${cert}# end`, "a file")).toEqual(pair);
  expect(readPair(pairText(pair), "a file")).toEqual(pair);
});

test("a text has certificate and key, a line each, without blank lines between them", () => {
  expect(pairText({ cert: "\ncert\n\n", key: " key " })).toBe("cert\nkey\n");
});

test("certificates between it and its authority stay behind it, and the first one counts", async () => {
  const [first, second] = [await pairOf("CN=first"), await pairOf("CN=second")];
  const pair = readPair(`${first.cert}${second.cert}${first.key}`, "a file");
  expect(pair).toMatchObject({ cert: `${first.cert}${second.cert}`, subject: ["CN=first"] });
  expect(pair).toMatchObject({ dnsNames: [], ipAddresses: [] });
});

test("what is no pair is refused with its place and the reason", async () => {
  const [one, other] = [await pairOf(), await pairOf()];
  expect(() => readPair(`${one.cert}${other.key}`, "the file")).toThrow(
    'the file: expected a certificate and its key in PEM, found "the key of another certificate".',
  );
  for (const pem of ["", one.cert, one.key, `${one.cert}-----BEGIN PRIVATE KEY-----\nx\n-----END EC PRIVATE KEY-----`])
    expect(() => readPair(pem, "the file")).toThrow(
      /^the file: expected a certificate and its key in PEM, found "(?!the key of another).*"\.$/,
    );
});

test("a pair is of the name that its certificate has, as a whole", async () => {
  const { cert, key } = await pairOf("O=system:nodes, CN=system:node:node1");
  const pair = readPair(`${cert}${key}`, "a file");
  expect(["system:node:node1", "system:node:node", "system:nodes"].map((name) => isOf(pair, name))).toEqual([
    true,
    false,
    false,
  ]);
});

test("the life of a certificate is that of the first one of a text", async () => {
  expect(certificateLife((await pairOf()).cert)).toEqual({ notBefore: FROM, notAfter: UNTIL });
  expect(() => certificateLife("no PEM")).toThrow();
});

import { expect, test } from "@jest/globals";
import {
  forThisMachine,
  hexOf,
  NO_CONFIG,
  parseImageConfig,
  parseIndex,
  parseJson,
  parseManifest,
} from "../../../src/image/manifest.js";

const here = process.arch === "x64" ? "amd64" : process.arch;
const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const refusal = (message: string | RegExp) =>
  expect.objectContaining({ code: "invalid-argument", message: expect.stringMatching(message) });

test("`manifests` distinguishes an index from a manifest", () => {
  const manifests = [{ digest: digest("a") }];
  expect(parseManifest(JSON.stringify({ manifests }), "x")).toEqual({ index: manifests });
  expect(parseIndex(JSON.stringify({ manifests }), "x")).toEqual(manifests);
  const manifest = { config: { digest: digest("b"), size: 3, mediaType: "t" }, layers: [{ digest: digest("c") }] };
  expect(parseManifest(JSON.stringify(manifest), "x")).toEqual({ manifest });
});

test.each([
  ["no JSON", "{", /^a manifest is not JSON: /],
  ["an index without images", '{"manifests":[]}', /^the index x is not understood: /],
  ["a manifest without layers", '{"config":{"digest":"d"}}', /^the manifest x is not understood: [\s\S]*layers/],
  [
    "a size below 0",
    '{"config":{"digest":"d","size":-1},"layers":[]}',
    /^the manifest x is not understood: [\s\S]*config\.size/,
  ],
  [
    "more than 512 layers",
    JSON.stringify({ config: { digest: "d" }, layers: Array.from({ length: 513 }, () => ({ digest: "d" })) }),
    /^the manifest x is not understood: [\s\S]*layers/,
  ],
])("%s is refused", (_, text, message) => {
  expect(() => parseManifest(text, "x")).toThrow(refusal(message));
});

test("what an index tells of its images is kept, and nothing else", () => {
  const own = { digest: digest("a"), mediaType: "m", size: 3, platform: { architecture: here, os: "linux" } };
  const more = { ...own, urls: ["x"], platform: { ...own.platform, variant: "v8" } };
  expect(parseIndex(JSON.stringify({ manifests: [more] }), "x")).toEqual([own]);
});

const platform = (architecture: string | undefined, os: string | undefined = "linux") => ({
  digest: digest("a"),
  platform: { ...(architecture !== undefined && { architecture }), os },
});

test("the images for this machine: of its architecture, of Linux, or without a word on either", () => {
  const own = platform(here);
  const silent = { digest: digest("b") };
  const half = platform(undefined);
  const noOs = { digest: digest("c"), platform: { architecture: here } };
  expect(forThisMachine([platform("s390x"), own, platform(here, "windows"), silent, half, noOs], "x")).toEqual([
    own,
    silent,
    half,
    noOs,
  ]);
});

test("where none is for this machine, the error lists those that are there", () => {
  expect(() => forThisMachine([platform("s390x"), platform(here, "windows")], "x.tar")).toThrow(
    refusal(`^x.tar holds no image for linux/${here}, only linux/s390x, windows/${here}$`),
  );
});

test("a digest is sha256 with 64 lower-case hex digits", () => {
  expect(hexOf(digest("a"))).toBe("a".repeat(64));
  for (const other of [`${digest("a")}0`, `x${digest("a")}`, digest("A"), "sha512:aa", `sha256:${"a".repeat(63)}`])
    expect(() => hexOf(other)).toThrow(refusal("^expected a digest sha256:<64 hex digits>, found "));
  expect(() => hexOf("x".repeat(300))).toThrow(refusal(`found "${"x".repeat(200)}"$`));
});

const full = {
  config: { Env: ["A=1"], Entrypoint: ["/e"], Cmd: ["c"], WorkingDir: "/w", User: "u:g", StopSignal: "QUIT" },
  rootfs: { diff_ids: [digest("a")] },
};

test("an image's config, and the digests of its layers", () => {
  expect(parseImageConfig(JSON.stringify(full), "x", 1)).toEqual({
    config: { env: ["A=1"], entrypoint: ["/e"], cmd: ["c"], workingDir: "/w", user: "u:g", stopSignal: "QUIT" },
    diffIds: [digest("a")],
  });
});

test.each(["{}", '{"config":null}', '{"config":{"Env":null,"User":null}}'])(
  "what a config leaves out is empty: %s",
  (text) => {
    expect(parseImageConfig(text, "x", 3)).toEqual({ config: NO_CONFIG });
  },
);

test("a config of another number of layers than the manifest's is refused", () => {
  expect(() => parseImageConfig(JSON.stringify(full), "x.tar", 2)).toThrow(
    refusal("^x.tar: the config names 1 layers, the manifest 2$"),
  );
});

test("what is not understood names the place", () => {
  expect(() => parseImageConfig('{"config":{"Env":[1]}}', "x", 0)).toThrow(
    refusal(/^the image's config is not understood: [\s\S]*config\.Env\[0\]/),
  );
  expect(() => parseJson("no", undefined as never, "the list")).toThrow(refusal("^the list is not JSON: "));
});

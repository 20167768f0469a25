import { expect, test } from "@jest/globals";
import { isManifestError, type Pod, readObjects } from "../../../src/index.js";

const secret = (data: string) => `apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n${data}\n`;

test.each([
  { name: "a number without quotes", data: "stringData: {pin: 483920}" },
  { name: "a map in place of a text", data: "stringData: {pin: {deep: 483920}}" },
  { name: "a list in place of a text", data: "data: {pin: [483920]}" },
  { name: "no base64", data: "data: {pin: '483920!'}" },
])("a fault of a Secret names the place and not the value: $name", async ({ data }) => {
  const error = await readObjects(secret(data), "secret.yaml", (pod) => pod as Pod).catch((one: unknown) => one);
  expect(isManifestError(error)).toBe(true);
  expect((error as Error).message).toMatch(/pin/);
  expect((error as Error).message).not.toContain("483920");
});

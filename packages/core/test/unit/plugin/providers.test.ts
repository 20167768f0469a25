import { expect, test } from "@jest/globals";
import { ProviderRegistry } from "../../../src/plugin/providers.js";

test.each([
  { name: "nothing", provider: undefined, says: "it provided nothing" },
  { name: "null", provider: null, says: "it provided nothing" },
  { name: "a text", provider: "me", says: "it provided nothing" },
  { name: "an object without the method", provider: {}, says: "expected a method credentials" },
])("$name is no provider, and the plugin is named", ({ provider, says }) => {
  const providers = new ProviderRegistry().forPlugin("mine");
  expect(() => providers.credentials(provider as never)).toThrow(says);
  expect(() => providers.credentials(provider as never)).toThrow('Plugin "mine" could not be started');
});

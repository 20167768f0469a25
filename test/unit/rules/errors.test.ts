import { expect, test } from "@jest/globals";
import { codeOf, packageSources } from "../../sources.js";

const ERRORS = "packages/utils/src/errors.ts";
/** What a file of core may word itself. */
const OWN = ["INVALID", "NOT_FOUND", "CLAIM_CONFLICT", "STATE_UNREADABLE", "STATE_UNWRITABLE", "ROOT_DIR_LOCKED"];

test("in core every other error is worded in errors.ts", () => {
  const made = packageSources()
    .filter((file) => file.package === "core" && file.path !== ERRORS)
    .flatMap((file) =>
      [...codeOf(file.text).matchAll(/new NodeAgentError\(\s*"([A-Z_]+)"/g)].map(([, code = ""]) => ({
        file: file.path,
        code,
      })),
    );
  expect(made.length).toBeGreaterThan(10);
  expect(made.filter(({ code }) => !OWN.includes(code))).toEqual([]);
});

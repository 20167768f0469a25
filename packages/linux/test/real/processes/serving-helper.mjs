// A helper with operations of its own, for tests; it runs the build, as helpers do.
import { setTimeout as pause } from "node:timers/promises";
import { serveHelper } from "../../../dist/processes/helper-process.js";

serveHelper({
  echo: (input) => input,
  throw: () => {
    throw Object.assign(new TypeError("no"), { code: "EX" });
  },
  throwText: () => {
    throw "a text";
  },
  long: async (input, progress) => {
    for (let step = 0; step < 8; step++) {
      await pause(300);
      progress();
    }
    return input;
  },
});

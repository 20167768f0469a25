// Loaded before the tests of a mutation run: TypeScript sources are read as they are.
import { register } from "node:module";

register("./loader.mjs", import.meta.url);

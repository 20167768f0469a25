import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "@jest/globals";
import { ownImports, packageSources, root } from "../sources.js";

/** The process that looks into containers' files in the agent's place, where a volume might hang. */
import { mkdirSync } from "node:fs";
import { serveHelper, systemClock } from "@hooklet/core/host";
import { LowerStats } from "./lower-stats.js";
import { findCommandIn, prepareRoot, type RootRequest } from "./prepare-root.js";

const lowerStats = new LowerStats(systemClock);

serveHelper({
  prepareRoot: (request: RootRequest) => prepareRoot(request, lowerStats),
  findCommandIn,
  makeSource: (path: string) => void mkdirSync(path, { recursive: true, mode: 0o755 }),
});

/** The process that looks into containers' files in the agent's place, where a volume might hang. */
import { systemClock } from "@hooklet/core/base";
import { serveHelper } from "@hooklet/core/host";
import { LowerStats } from "./lower-stats.js";
import { makeMissingSource } from "./make-source.js";
import { findCommandIn, prepareRoot, type RootRequest } from "./prepare-root.js";

const lowerStats = new LowerStats(systemClock);

serveHelper({
  prepareRoot: (request: RootRequest) => prepareRoot(request, lowerStats),
  findCommandIn,
  makeSource: makeMissingSource,
});

/** The subprocess that accesses containers' files where a volume might hang. */

import { serveHelper } from "@hooklet/linux";
import { systemClock } from "@hooklet/utils";
import { checkCommandIn, makeMissingSource, prepareRoot, type RootRequest } from "./prepare-root.js";
import { LowerStats } from "./view.js";

const lowerStats = new LowerStats(systemClock);

serveHelper({
  prepareRoot: (request: RootRequest) => prepareRoot(request, lowerStats),
  checkCommandIn,
  makeSource: makeMissingSource,
});

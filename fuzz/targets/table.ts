import type { Target } from "../target.js";
import { control } from "./control.js";
import { criAnswers } from "./cri-answers.js";
import { grpcProbes } from "./grpc-probes.js";
import { httpProbes } from "./http-probes.js";
import { imageLayers } from "./image-layers.js";
import { loopback } from "./loopback.js";
import { manifests } from "./manifests.js";
import { rcFiles } from "./rc-files.js";
import { scenarios } from "./scenarios.js";

/** All that is fuzzed, the quick ones first. */
export const TARGETS: readonly Target[] = [
  manifests,
  rcFiles,
  scenarios,
  loopback,
  control,
  criAnswers,
  imageLayers,
  httpProbes,
  grpcProbes,
];

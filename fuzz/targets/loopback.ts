/** The HTTP port, which any local user can reach. */
import { listenerTarget, requestText } from "./listener.js";

const PATHS = [
  "/healthz",
  "/healthz?verbose=1",
  "/readyz",
  "/metrics",
  "/metrics/probes",
  "/pods",
  "/configz",
  "/stats/summary?only_cpu_and_memory=true",
  "/events?follow=true&type=Warning",
  "/explain?kind=pod&name=default/web",
];

export const loopback = listenerTarget(
  "loopback HTTP",
  () => PATHS.map((path) => requestText({ path })),
  ({ port }) => ({ host: "127.0.0.1", port }),
);

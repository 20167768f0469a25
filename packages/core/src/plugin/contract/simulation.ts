/**
 * What a plugin finds outside of the node when it runs in a simulation: in place of networks and sockets of other programs. What it
 * has from `ctx` (clock, runtime, host, checkpoints) is simulated already.
 */
export interface SimulatedWorld {
  /**
   * What stands in for that. Name and type are the plugin's own, which exports the type: who simulates implements it.
   * @throws NodeAgentError UNSUPPORTED where this simulation has nothing of that name
   */
  part(name: string): unknown;
}

/**
 * When probes are made: all of them on beats that the whole node shares, so that a small machine wakes once for many and sleeps in between.
 *
 *     plugins:
 *       - [probe, { schedule: { use: ./on-shared-beats.mjs, options: { beatSeconds: 5 } } }]
 *
 * The agent checks the answer: when it is no time after `now` (for the first step: before it), the kubelet's is taken. Times are
 * milliseconds of a clock that only goes forward.
 */
export default {
  description: "On beats that all probes of the node share",

  options: (z) => z.strictObject({ beatSeconds: z.number().min(0.1).max(60).default(1) }),

  /** @returns {import("@hooklet/plugin-probe").Schedule} */
  create: ({ beatSeconds }) => {
    const beat = beatSeconds * 1000;
    const onOrAfter = (time) => Math.ceil(time / beat) * beat;
    return ({ reason, now, periodMilliseconds, due }) => {
      if (reason === "first") return onOrAfter(Math.max(now, due));
      // A probe that was asked for begins a new period; one that took longer than its period leaves out what it missed.
      const next = onOrAfter((reason === "trigger" ? now : due) + periodMilliseconds);
      return next > now ? next : onOrAfter(now + 1);
    };
  },
};

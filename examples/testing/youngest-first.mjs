/** Who has run for the shortest time goes first, and no more than it takes. Candidates come oldest first. */
export default {
  description: "The youngest pods, no more than it takes",
  create:
    () =>
    ({ candidates, requirements }) => {
      const chosen = [];
      const lacks = ({ resource, quantity }) =>
        chosen.reduce((sum, { requests }) => sum + (requests[resource] ?? 0), 0) < quantity;
      for (const candidate of candidates.toReversed()) {
        if (!requirements.some(lacks)) break;
        chosen.push(candidate);
      }
      return chosen.map(({ uid }) => ({ uid, why: "is the youngest" }));
    },
};

/** `hooklet get images`. */
import type { Clock, View, ViewRow } from "@hooklet/core";
import { why } from "./gc-decisions.js";
import type { ImageCollector, RoundReport } from "./image-collector.js";
import { formatSize } from "./images/image-policy.js";
import { type ImageRecord, imageName } from "./images/image-records.js";
import type { Kept } from "./images/keep.js";
import type { Outcome } from "./images/round.js";
import type { SteadyTime } from "./saved-usage.js";

export function imagesView(collector: ImageCollector, time: SteadyTime, clock: Pick<Clock, "now">): View {
  return {
    description: "Images, their last use, their users, and what garbage collection does with them",
    columns: [
      { name: "image" },
      { name: "size" },
      { name: "used" },
      { name: "users" },
      { name: "next round" },
      { name: "why", wide: true },
      { name: "seen", wide: true },
      { name: "id", wide: true },
    ],
    async rows() {
      const report = await collector.plan();
      const fates = new Map([...report.outcomes, ...report.kept].map((fate) => [fate.image, fate]));
      const images = [...fates.keys()].sort(largestFirst);
      return images.map((image) => row(fates.get(image) as Kept | Outcome, report, time, clock));
    },
  };
}

function row(fate: Kept | Outcome, report: RoundReport, time: SteadyTime, clock: Pick<Clock, "now">): ViewRow {
  const { image } = fate;
  const users = "users" in fate ? (fate.users ?? []) : [];
  const since = (at: number | undefined): string | null =>
    at === undefined ? null : new Date(Math.min(time.wall(at), clock.now())).toISOString();
  return {
    image: imageName(image),
    size: formatSize(image.size),
    used: users.length > 0 ? "now" : (since(image.lastUsed) ?? "never"),
    users: users.length === 0 ? "" : `${users[0]}${users.length > 1 ? ` and ${users.length - 1} more` : ""}`,
    "next round": fate.verdict === "removed" ? "goes" : fate.verdict,
    why: why(fate, report),
    seen: since(image.firstDetected) ?? "unknown",
    id: image.id,
    bytes: image.size,
    names: [...image.names],
    pinned: image.pinned,
    allUsers: [...users],
    lastUsed: since(image.lastUsed),
    firstDetected: since(image.firstDetected),
  };
}

/** As the node's status lists them. */
function largestFirst(a: ImageRecord, b: ImageRecord): number {
  return b.size - a.size || (a.id > b.id ? -1 : 1);
}

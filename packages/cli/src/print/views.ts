/** Tables of plugins and of images. */
import type { Image, Json, ViewColumn, ViewRow } from "@hooklet/core";
import { roundBytes } from "./amounts.js";
import type { Rows } from "./columns.js";

export function viewRows(columns: readonly ViewColumn[], rows: readonly ViewRow[], wide: boolean): Rows {
  const shown = columns.filter((column) => wide || column.wide !== true);
  return {
    head: shown.map(({ name }) => name.toUpperCase()),
    rows: rows.map((row) => shown.map(({ name }) => cell(row[name]))),
  };
}

function cell(value: Json | undefined): string {
  if (value === undefined || value === null || value === "") return "<none>";
  if (Array.isArray(value) && value.every((item) => typeof item !== "object")) return value.join(",") || "<none>";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function imageRows(images: readonly Image[], wide: boolean): Rows {
  const rows = images.flatMap(({ id, repoTags, repoDigests, size, pinned }) =>
    (repoTags.length === 0 ? ["<none>"] : repoTags).map((name) => [
      name,
      wide ? id : id.replace(/^sha256:/, "").slice(0, 12),
      roundBytes(size),
      ...(wide ? [pinned ? "yes" : "no", repoDigests.join(",") || "<none>"] : []),
    ]),
  );
  return { head: ["NAME", "IMAGE ID", "SIZE", ...(wide ? ["PINNED", "DIGESTS"] : [])], rows };
}

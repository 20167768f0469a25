// Two snapshots of a heap, the later one second: what there is more of, by constructor, in objects and their own bytes.
//   node scripts/soak/compare.mjs FIRST SECOND [LINES]
import { readFileSync } from "node:fs";

const [first, second] = process.argv.slice(2, 4).map(count);
const names = [...new Set([...first.keys(), ...second.keys()])];
const none = { objects: 0, bytes: 0 };
const rows = names.map((name) => {
  const [before, after] = [first.get(name) ?? none, second.get(name) ?? none];
  const more = after.objects - before.objects;
  return { name, objects: after.objects, "more objects": more, "more KiB": (after.bytes - before.bytes) / 1024 };
});
const total = (counts) => [...counts.values()].reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20;
console.log(`MiB: ${total(first).toFixed(2)}, ${total(second).toFixed(2)}`);
rows.sort((a, b) => Math.abs(b["more KiB"]) - Math.abs(a["more KiB"]));
console.table(
  rows
    .slice(0, Number(process.argv[4] ?? 40))
    .map((row) => ({ ...row, "more KiB": Number(row["more KiB"].toFixed(1)) })),
);

/** Constructor, or kind of V8's own -> `{ objects, bytes }`. */
function count(file) {
  const { snapshot, nodes, strings } = JSON.parse(readFileSync(file, "utf8"));
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, name, size] = ["type", "name", "self_size"].map((field) => fields.indexOf(field));
  const counts = new Map();
  for (let at = 0; at < nodes.length; at += fields.length) {
    const kind = types[type][nodes[at + type]];
    const key = kind === "object" || kind === "native" ? strings[nodes[at + name]] : `(${kind})`;
    const known = counts.get(key) ?? { objects: 0, bytes: 0 };
    counts.set(key, known);
    known.objects += 1;
    known.bytes += nodes[at + size];
  }
  return counts;
}

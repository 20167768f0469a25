// Writes docs/live-view.svg, the picture of the README: runs hooklet in a terminal of 112x22 with the pods of examples/manifests, applies those of
// examples/trouble, and draws what the terminal shows after 20 seconds. Needs `script` of util-linux. Run after a build: node scripts/live-picture.mjs [FILE]
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { tellHelp } from "./help.mjs";

tellHelp(import.meta.url);

const COLUMNS = 112;
const ROWS = 22;
const CELL = { width: 8, height: 18, margin: 14 };
const COLOURS = { 31: "#f47067", 32: "#57ab5a", 33: "#c69026", 36: "#39c5cf" };

const root = fileURLToPath(new URL("..", import.meta.url));
const hooklet = path.join(root, "packages/hooklet/bin/hooklet.js");

/** Everything that the live view writes. */
async function record() {
  const folder = mkdtempSync(path.join(tmpdir(), "edge-"));
  cpSync(path.join(root, "examples"), path.join(folder, "examples"), { recursive: true });
  const run = `stty rows ${ROWS} cols ${COLUMNS}; exec node ${hooklet} run --config examples/hookletrc.yaml --root-dir .hooklet --node-name edge-1 --port 0`;
  const env = { ...process.env, TERM: "xterm", PATH: `${path.join(root, "node_modules/.bin")}:${process.env.PATH}` };
  const terminal = spawn("script", ["-qfec", run, "/dev/null"], { cwd: folder, env });
  const ended = new Promise((resolve) => terminal.once("exit", resolve));
  let bytes = "";
  terminal.stdout.setEncoding("utf8").on("data", (text) => (bytes += text));
  try {
    await sleep(5_000);
    for (const name of ["crash", "refused"]) {
      execFileSync(hooklet, ["apply", "--root-dir", ".hooklet", "-f", `examples/trouble/${name}.yaml`], {
        cwd: folder,
      });
    }
    await sleep(15_000);
    return bytes;
  } finally {
    terminal.stdin.write("\u0003");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The pieces of a text between control sequences, each with the sequence before it. */
const pieces = (text) =>
  text.split("\u001b[").map((piece) => {
    const [, code = "", rest = ""] = /^([\d;?]*[A-Za-z])([\s\S]*)$/.exec(piece) ?? [undefined, "", piece];
    return { code, rest };
  });

/** The rows of the screen at the end, by the sequences that the live view writes (packages/hooklet/src/run/view/paint.ts). */
function rowsOf(bytes) {
  const rows = Array.from({ length: ROWS }, () => []);
  let row = 0;
  for (const { code, rest } of pieces(bytes)) {
    if (code.endsWith("H")) {
      row = Number.parseInt(code, 10) - 1;
      rows[row] = [];
    }
    rows[row]?.push({ code, rest: rest.replace(/[\r\n]/g, "") });
  }
  return rows;
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** One row as texts of an SVG. */
function drawn(row, index) {
  const style = { colour: undefined, bold: false, dim: false, inverse: false };
  let column = 0;
  const y = CELL.margin + CELL.height * (index + 0.75);
  return row
    .map(({ code, rest }) => {
      for (const one of code.endsWith("m") ? code.slice(0, -1).split(";").map(Number) : []) {
        if (one === 0) Object.assign(style, { colour: undefined, bold: false, dim: false, inverse: false });
        if (one === 1) style.bold = true;
        if (one === 2) style.dim = true;
        if (one === 7) style.inverse = true;
        if (one === 22) Object.assign(style, { bold: false, dim: false });
        if (one === 27) style.inverse = false;
        if (one >= 30 && one < 40) style.colour = COLOURS[one];
      }
      const x = CELL.margin + column * CELL.width;
      const width = rest.length * CELL.width;
      column += rest.length;
      if (rest.trim() === "") return "";
      const back = `<rect x="${x}" y="${y - CELL.height * 0.75}" width="${width}" height="${CELL.height}" fill="#d1d9e0"/>`;
      const fill = style.inverse ? "#22272e" : (style.colour ?? (style.dim ? "#909dab" : "#d1d9e0"));
      const weight = style.bold ? ' font-weight="bold"' : "";
      return `${style.inverse ? back : ""}<text x="${x}" y="${y}" textLength="${width}" fill="${fill}"${weight} xml:space="preserve">${escaped(rest)}</text>`;
    })
    .join("");
}

const rows = rowsOf(await record());
const width = CELL.margin * 2 + COLUMNS * CELL.width;
const height = CELL.margin * 2 + ROWS * CELL.height;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">
<title>The live view of hooklet run</title>
<rect width="${width}" height="${height}" rx="8" fill="#22272e"/>
${rows.map(drawn).filter(Boolean).join("\n")}
</svg>
`;
writeFileSync(process.argv[2] ?? new URL("../docs/live-view.svg", import.meta.url), svg);

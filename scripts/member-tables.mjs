// What hooks, plugins and strategies are given, for docs/reference/plugins.md: the members of the types with their comments, read from the sources.
import { readFile } from "node:fs/promises";

const CONTRACT = "packages/core/src/plugin/contract.ts";
const HOOKS = "packages/core/src/hooks/hooks.ts";

/** By section of the page: title, file and type of each table, and of a class its members. */
const SECTIONS = {
  "meta and what start returns": [
    ["`meta`", CONTRACT, "PluginMeta"],
    ["what `start` returns", CONTRACT, "PluginInstance"],
  ],
  ctx: [
    ["`ctx`", CONTRACT, "NodeContext"],
    ["a decision", "packages/core/src/plugin/contract/records.ts", "Decision"],
  ],
  podAdmit: [
    [
      "`verdict`",
      "packages/core/src/hooks/verdict.ts",
      "AdmissionVerdict",
      ["reject", "postpone", "undo", "beforeSandbox", "withRejections", "rejections", "admitted"],
    ],
    ["`event`", HOOKS, "PodAdmitEvent"],
  ],
  containerStart: [
    ["`plan`", "packages/core/src/plan/contract.ts", "ContainerPlan"],
    ["`event`", HOOKS, "ContainerStartEvent"],
  ],
  podTerminate: [["`event`", HOOKS, "PodTerminateEvent"]],
  "strategy inputs": [
    ["preemption `victims`: the input", "packages/plugin-preemption/src/victims.ts", "VictimsInput"],
    ["preemption `victims`: a candidate", "packages/plugin-preemption/src/candidate.ts", "Candidate"],
    ["eviction `ranking`: the input", "packages/plugin-eviction/src/ranking.ts", "RankingInput"],
    ["eviction `ranking`: a candidate", "packages/plugin-eviction/src/candidates.ts", "EvictionCandidate"],
    ["imagegc `order`: the input", "packages/plugin-imagegc/src/image-order.ts", "OrderInput"],
    ["imagegc `order`: a candidate", "packages/plugin-imagegc/src/images/image-records.ts", "ImageRecord"],
    ["devices `allocation`: the input", "packages/plugin-devices/src/strategies/allocation.ts", "AllocationInput"],
    ["devices `allocation`: a candidate", "packages/plugin-devices/src/strategies/allocation.ts", "Candidate"],
    ["probe `schedule`: the input", "packages/plugin-probe/src/schedules.ts", "ScheduleInput"],
  ],
};

const COMMENT = /(?:\/\*\*((?:[^*]|\*(?!\/))*)\*\/\s*)?(?:\/\/[^\n]*\n\s*)?/.source;
/** Of an interface or a class; a field of the constructor's parameters is one of the class. */
const MEMBER = new RegExp(
  `^ {2,4}${COMMENT}((?:(?:readonly|get) )*)(\\w+\\??)(\\([^{};]*\\)|<[^\\n]*?\\([^\\n]*\\))?: ([\\s\\S]*?)(?:;| \\{|,)$`,
  "gm",
);

const oneLine = (text) => text.replace(/\s+/g, " ").trim();

/** Members of an exported interface or class: name, type and comment. */
export function fieldsOf(source, name) {
  const start = source.search(new RegExp(`^export (?:interface|class) ${name}\\b`, "m"));
  if (start < 0) throw new Error(`no interface or class ${name}`);
  const body = source.slice(source.indexOf("{\n", start) + 2, source.indexOf("\n}", start) + 1);
  return [...body.matchAll(MEMBER)].map(([, comment = "", modifiers, field, parameters, type]) => ({
    field,
    type: oneLine(parameters === undefined || modifiers === "get " ? type : `${parameters} => ${type}`),
    says: oneLine(comment.replace(/^\s*\*/gm, "").replace(/@throws[\s\S]*/, "")),
  }));
}

/** The Markdown of each section. */
export async function memberTables(root) {
  const sections = Object.entries(SECTIONS).map(async ([section, tables]) => [
    section,
    (await Promise.all(tables.map((table) => tableOf(root, table)))).join("\n\n"),
  ]);
  return Object.fromEntries(await Promise.all(sections));
}

async function tableOf(root, [title, file, name, only]) {
  const all = fieldsOf(await readFile(new URL(file, root), "utf8"), name);
  const fields = only === undefined ? all : only.map((one) => all.find(({ field }) => field === one));
  const missing = only?.find((_, index) => fields[index] === undefined);
  if (missing !== undefined) throw new Error(`no member ${missing} of ${name}`);
  const rows = fields.map(
    ({ field, type, says }) => `| \`${field}\` | \`${type.replaceAll("|", "\\|")}\` | ${says.replaceAll("|", "\\|")} |`,
  );
  return [`**${title}** ([${name}](../../${file}))`, "", "| name | type | meaning |", "|---|---|---|", ...rows].join(
    "\n",
  );
}

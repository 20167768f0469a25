// docs/reference/cli.md: the help of every command, as `--help` prints it.

const WIDTH = 110;

/** @param root commander's command of the binary */
export function commandPage(root) {
  const sections = leaves(root).map((command) => `## ${nameOf(command)}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\`\n`);
  return `# Commands

This page shows the help of each command. Two options are valid for every command and not repeated below: \`--socket PATH\` and \`--root-dir DIR\`. They, or the environment variable \`HOOKLET_SOCKET\`, name the agent that a command asks. For \`hooklet run\`, \`--root-dir\` is the folder of the agent's state.
\`hooklet completion SHELL\` prints a completion script.

${sections.join("\n")}`;
}

/** Commands that do something: without groups, and without what completion scripts call. */
function leaves(command) {
  if (command.commands.length > 0) return command.commands.flatMap(leaves);
  return command.name() === "complete" ? [] : [command];
}

function nameOf(command) {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}

function helpOf(command) {
  let text = "";
  command.configureOutput({
    writeOut: (part) => (text += part),
    getOutHelpWidth: () => WIDTH,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text.replace(/\n*--socket PATH and --root-dir DIR.*\n/, "").trim();
}

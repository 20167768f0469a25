// A helper that ends itself where it is asked to, for tests.
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

process.on("message", async ({ id, operation, input }) => {
  if (operation === "abort") process.abort();
  if (operation === "exit") process.exit(3);
  if (operation === "spin") for (;;);
  if (operation === "abort-later") setTimeout(() => process.abort(), 50);
  if (operation === "wait") await pause(input);
  if (operation === "throw") process.send({ id, error: { name: "TypeError", message: "no", code: "EX" } });
  else process.send({ id, value: operation === "group" ? groupOf("self") : input });
});
process.send("ready");

function groupOf(pid) {
  const [, fields] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  return Number(fields.split(" ")[2]);
}

/** Layers of images, as registries and archives give them. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isRuntimeError } from "@hooklet/core";
import { ProcessRuntime, processRuntimeOptions } from "@hooklet/runtime-process";
import { systemClock } from "@hooklet/utils";
import type { Target } from "../target.js";

const BLOCK = 512;
const say = (): void => undefined;
const log = { trace: say, debug: say, info: say, warn: say, error: say, fatal: say } as never;

export const imageLayers: Target = {
  name: "image layers",
  weight: 1,
  cost: { milliseconds: 400, nanosecondsPerByte: 15_000 },
  seeds: () => [
    tar(
      member("etc/motd", "0", "hello"),
      member("etc/link", "2", "", "../../motd"),
      member("etc/hard", "1", "", "etc/motd"),
    ),
    tar(member("a/", "5"), member("a/b", "0", "1"), member("a/.wh.b", "0"), member("a/.wh..wh..opq", "0")),
    tar(member("dev/null", "3"), member("pipe", "6"), member("../outside", "0", "x")),
    tar(member("pax", "x", "27 path=etc/a-longer-name\n"), member("short", "0", "x"), member("l", "L", "name/of/gnu")),
  ],
  open: async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "hooklet-layers-"));
    const ctx = { clock: systemClock, log, rootDir: path.join(folder, "root"), nodeName: "fuzz" };
    const options = processRuntimeOptions.parse({ maxImageBytes: 2 ** 24, maxImageEntries: 1_000 });
    const runtime = new ProcessRuntime(ctx, options);
    const file = path.join(folder, "image.tar");
    const manifest = JSON.stringify([{ Config: "config", Layers: ["layer"] }]);
    return {
      async run(input) {
        await writeFile(
          file,
          tar(
            member("manifest.json", "0", manifest),
            member("config", "0", "{}"),
            member("layer", "0", withSums(input)),
          ),
        );
        try {
          await runtime.importImage("fuzz:1", file);
          await runtime.removeImage("fuzz:1");
          return "accepted";
        } catch (error) {
          if (isRuntimeError(error, "invalid-argument")) return "refused";
          throw error;
        }
      },
      close: () => rm(folder, { recursive: true, force: true }),
    };
  },
};

function tar(...members: readonly Buffer[]): Buffer {
  return Buffer.concat([...members, Buffer.alloc(2 * BLOCK)]);
}

/** In the format of POSIX 1988. */
function member(name: string, type: string, content: string | Buffer = "", link = ""): Buffer {
  const data = Buffer.from(content);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0);
  header.write("0000644\0", 100);
  header.write(`${data.length.toString(8).padStart(11, "0")}\0`, 124);
  header.write(type, 156);
  header.write(link, 157);
  header.write("ustar\u000000", 257);
  return Buffer.concat([summed(header), data, Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK)]);
}

/** What was changed in a header would end the reading there, were its sum not right again. */
function withSums(input: Buffer): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at < input.length; at += BLOCK) {
    const block = Buffer.from(input.subarray(at, at + BLOCK));
    blocks.push(block.length === BLOCK && block.toString("latin1", 257, 262) === "ustar" ? summed(block) : block);
  }
  return Buffer.concat(blocks);
}

function summed(header: Buffer): Buffer {
  header.write("        ", 148);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

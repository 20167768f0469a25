/** Keeps what V8 has compiled of the bundle, so that the next start need not: docs/adr/0022-the-program-is-a-bundle.md. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import module, { createRequire } from "node:module";
import path from "node:path";
import vm from "node:vm";
import { crc32 } from "node:zlib";

/** Bytes before the code: the sums of the source, which V8 knows by its length only, and of the code, which V8 trusts. */
const HEAD = 8;

/**
 * Node 22 and later do it themselves; on Node 20 modules below `folder` are compiled here. Where `folder` belongs to another user nothing is
 * kept: that user could change the code, and could not delete what root has written.
 * @param folder absolute, with a separator at its end
 * @param cache directory beside it. Without write access nothing is kept
 * @returns keeps what is not kept yet. Call it when what is worth keeping has run: V8 compiles functions when they are called first
 */
export function keepCompiledCode(folder, cache) {
  if (statSync(folder, { throwIfNoEntry: false })?.uid !== process.getuid?.()) return () => undefined;
  if (module.enableCompileCache !== undefined) {
    module.enableCompileCache(cache);
    return () => module.flushCompileCache?.();
  }
  const place = path.join(cache, `${process.version}-${process.arch}`);
  const compiled = [];
  const { _compile: compile } = module.prototype;
  module.prototype._compile = function (source, file) {
    // What imports by a name of its own is compiled by Node: V8's kept code has lost who imports.
    if (!file.startsWith(folder) || source.includes("import(")) return compile.call(this, source, file);
    const kept = path.join(place, path.basename(file));
    const sum = crc32(source);
    const cachedData = read(kept, sum);
    const script = new vm.Script(module.wrap(source), { filename: file, cachedData });
    if (cachedData === undefined || script.cachedDataRejected) compiled.push({ script, kept, sum });
    const run = script.runInThisContext();
    return run.call(this.exports, this.exports, createRequire(file), this, file, path.dirname(file));
  };
  return () => write(place, compiled.splice(0));
}

/** Undefined: there is none, or it is of another source, or damaged. */
function read(file, sum) {
  let bytes;
  try {
    bytes = readFileSync(file);
  } catch {
    return undefined;
  }
  const code = bytes.subarray(HEAD);
  const isWhole = bytes.length > HEAD && bytes.readUInt32LE(0) === sum && bytes.readUInt32LE(4) === crc32(code);
  return isWhole ? code : undefined;
}

function write(folder, compiled) {
  for (const { script, kept, sum } of compiled) {
    const fresh = `${kept}.${process.pid}`;
    try {
      const code = script.createCachedData();
      const head = Buffer.alloc(HEAD);
      head.writeUInt32LE(sum, 0);
      head.writeUInt32LE(crc32(code), 4);
      mkdirSync(folder, { recursive: true });
      writeFileSync(fresh, Buffer.concat([head, code]));
      renameSync(fresh, kept);
    } catch {
      // The file system is full or read-only: the next start compiles again.
      if (existsSync(folder)) rmSync(fresh, { force: true });
      return;
    }
  }
}

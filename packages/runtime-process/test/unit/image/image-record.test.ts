import { expect, test } from "@jest/globals";
import { folderForId } from "../../../src/image/image-record.js";

const DIGEST = "0123456789abcdef".repeat(4);

test.each([
  { id: `sha256:${DIGEST}`, folder: DIGEST },
  { id: `sha256:${DIGEST}/..`, folder: undefined },
  { id: `../sha256:${DIGEST}`, folder: undefined },
  { id: `sha256:${DIGEST.slice(1)}`, folder: undefined },
  { id: `sha256:${DIGEST.toUpperCase()}`, folder: undefined },
  { id: DIGEST, folder: undefined },
])("the folder of image $id is $folder", ({ id, folder }) => expect(folderForId(id)).toBe(folder));

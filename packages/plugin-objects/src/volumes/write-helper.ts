/** The process that writes volumes in the agent's place. */
import { serveHelper } from "@hooklet/linux";
import { writeOperations } from "./write.js";

serveHelper(writeOperations);

// A helper that never says that it is ready, for tests.
setInterval(() => undefined, 1000);

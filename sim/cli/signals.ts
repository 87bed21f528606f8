/** Stopping on SIGINT or SIGTERM: once gracefully; a second signal ends the process at once. */

/** Calls `stop` at the first signal; resolves when that is done. */
export function stopOnSignal(stop: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let isStopping = false;
    const onSignal = () => {
      if (isStopping) process.exit(1);
      isStopping = true;
      stop().then(() => {
        for (const signal of signals) process.off(signal, onSignal);
        resolve();
      }, reject);
    };
    for (const signal of signals) process.on(signal, onSignal);
  });
}

/** Aborted at the first signal; a second one ends the process. */
export function stoppedBySignal(): AbortSignal {
  const stopping = new AbortController();
  stopOnSignal(async () => stopping.abort()).catch(() => {});
  return stopping.signal;
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Shows progress on standard error. At a terminal it is a bar; elsewhere it is one line when the work begins,
 * and one when the work ends.
 */

const BAR_WIDTH = 30;

interface Progress {
  update(done: number): void;
  end(): void;
}

/** @param total - The number that `update` reaches at the end. */
export function startProgress(title: string, total: number): Progress {
  const { stderr } = process;
  const startedAtMs = performance.now();
  if (!stderr.isTTY) {
    stderr.write(`${title} …\n`);
  }
  return {
    update(done) {
      if (stderr.isTTY) {
        const counts = `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`;
        stderr.write(`\r${title} ${toBar(total === 0 ? 1 : done / total)} ${counts}`);
      }
    },
    end() {
      const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
      stderr.write(stderr.isTTY ? `, ${seconds} s\n` : `${title}: ${seconds} s\n`);
    },
  };
}

/** Names the current step, if standard error is a terminal. For work whose progress is not known. */
export function announce(step: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`${step} …\n`);
  }
}

function toBar(share: number): string {
  const filled = Math.round(share * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`;
}

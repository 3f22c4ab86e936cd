/** What `ctl` writes to standard output: JSON, and nothing else. */

export async function printDocument(value: unknown): Promise<void> {
  await write(`${safeJson(JSON.stringify(value, null, 2))}\n`);
}

/** Whether there is somebody who reads: `| head` ends when it has enough. */
export function printLine(value: unknown): Promise<boolean> {
  return write(`${safeJson(JSON.stringify(value))}\n`);
}

/**
 * JSON escapes the control characters of ASCII by itself; terminals obey some beyond. The value is the same.
 */
export function safeJson(text: string): string {
  return text.replace(/[\u007f-\u009f\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Why it could not be written is told where standard output is listened to. */
function write(text: string): Promise<boolean> {
  return new Promise((resolve) => {
    process.stdout.write(text, (error) => resolve(!error));
  });
}

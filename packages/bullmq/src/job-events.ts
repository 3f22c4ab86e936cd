/**
 * BullMQ's QueueEvents, made to accept events whose values are not JSON, which workers of other kinds may write: BullMQ stops to listen at
 * the first one, for good, and says so only as an error of the connection.
 */
import { QueueEvents } from 'bullmq';
import { REFUSED_MS } from './connection.js';
import { parsed } from './encoding.js';

/** How many milliseconds one reading waits for events: BullMQ's default. */
const BLOCK_MS = 10_000;
/** What BullMQ appends to the name of such a connection, in Redis's list of clients. */
const SUFFIX = ':qe';
/** The fields that have a value as JSON. */
const VALUES = ['returnvalue', 'data'] as const;

export class JobEvents extends QueueEvents {
  /** BullMQ calls it once, in its constructor. */
  override async run(): Promise<void> {
    const { lastEventId = '$' } = this.opts as { lastEventId?: string };
    // The name is only shown; a user who may not set it can listen all the same.
    await this.backend.setName(this.clientName(SUFFIX)).catch(() => undefined);
    for (let last = lastEventId; !this.closing;) {
      // Redis also refuses where it becomes a replica or ceases to be one. BullMQ would listen again after 5 s.
      const read = await this.checkConnectionError(() => this.backend.readEvents(last, BLOCK_MS), REFUSED_MS);
      for (const [id, fields] of entriesOf(read)) {
        last = id;
        this.#tell(fieldsOf(fields), id);
      }
    }
  }

  #tell({ event, ...fields }: Readonly<Record<string, string>>, id: string): void {
    const args: Record<string, unknown> = { ...fields };
    for (const name of VALUES) if (Object.hasOwn(fields, name)) args[name] = parsed(fields[name]);
    this.emit(event as 'completed', args as never, id);
  }
}

type Entry = readonly [id: string, fields: readonly string[]];

/** The entries of the one stream that was read; none if nothing has come in time. */
function entriesOf(read: unknown): readonly Entry[] {
  const [stream] = (read ?? []) as readonly (readonly [key: string, entries: readonly Entry[]])[];
  return stream?.[1] ?? [];
}

/** The fields of an entry of a stream, which come as names and values in turn. */
export function fieldsOf(fields: readonly string[]): Record<string, string> {
  return Object.fromEntries(fields.flatMap((name, i) => (i % 2 === 0 ? [[name, fields[i + 1]!]] : [])));
}

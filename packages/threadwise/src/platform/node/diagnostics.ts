/** Publishes the events of every pool on `node:diagnostics_channel`, as `threadwise:` and the event's name. */
import { type Channel, channel } from 'node:diagnostics_channel';
import type { EventSink } from '../../core/events/hooks.js';

/** Held, because a channel without a reference may be collected together with its subscribers. */
const channels: Record<string, Channel | undefined> = Object.create(null);

function channelOf(name: string): Channel {
  const found = channels[name];
  if (found !== undefined) return found;
  const made = channel(`threadwise:${name}`);
  channels[name] = made;
  return made;
}

export const diagnosticsSink: EventSink = {
  channel: channelOf,
  unheard: ({ pool, error }) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.emitWarning(`Pool '${pool}': ${text}`, 'ThreadwiseWarning');
  },
};

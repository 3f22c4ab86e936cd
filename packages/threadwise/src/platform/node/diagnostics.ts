/** Publishes the events of every pool on `node:diagnostics_channel`, as `threadwise:` and the event's name. */
import { type Channel, channel } from 'node:diagnostics_channel';
import type { EventSink } from '../../core/hooks.js';

/** Held, because a channel without a reference may be collected together with its subscribers. */
const channels = new Map<string, Channel>();

function channelOf(name: string): Channel {
  let found = channels.get(name);
  if (found === undefined) {
    found = channel(`threadwise:${name}`);
    channels.set(name, found);
  }
  return found;
}

export const diagnosticsSink: EventSink = {
  wants: (name) => channelOf(name).hasSubscribers,
  publish: (name, event) => channelOf(name).publish(event),
  unheard: ({ pool, error }) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.emitWarning(`Pool '${pool}': ${text}`, 'ThreadwiseWarning');
  },
};

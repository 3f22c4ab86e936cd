/** Publishes the events of every pool on `node:diagnostics_channel`, as `threadwise:` and the event's name. */
import { type Channel, channel } from 'node:diagnostics_channel';
import type { EventSink } from '../../core/events/hooks.js';
import { textOf } from '../../core/options/errors.js';

/** Kept, because a channel that nothing refers to may be collected together with its subscribers. */
const channels: Record<string, Channel | undefined> = Object.create(null);

export const diagnosticsSink: EventSink = {
  channel: (name) => (channels[name] ??= channel(`threadwise:${name}`)),
  unheard: ({ pool, error }) => {
    const text = textOf(error, ({ stack, message }) => stack ?? message);
    process.emitWarning(`Pool '${pool}': ${text}`, 'ThreadwiseWarning');
  },
};

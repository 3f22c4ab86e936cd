/** A probe: the process in which the user's function is measured, so that whatever it does happens there. Started by probe-client.ts. */
import { describeError } from '../../../run/work/described-error.js';
import {
  type Answer,
  MARK,
  type Open,
  type Opened,
  type Request,
  type RoleName,
  unwrap,
} from './protocol.js';

/** Loaded only when it is played: what a role does not need is no part of its memory. */
const openers: { readonly [R in RoleName]: () => Promise<{ open: Open<R> }> } = {
  behaviour: () => import('./behaviour.js'),
  survival: () => import('./survival.js'),
  inline: () => import('./inline.js'),
  pool: () => import('./pool.js'),
  crossing: () => import('./crossing.js'),
  spin: () => import('./spin.js'),
  start: () => import('./start.js'),
};

/** What the user's module does to `process.send` later is its own affair. */
const send = process.send?.bind(process);
let playing: Opened<RoleName> | undefined;

/** Resolves when the message has left the process: what comes next may end it. */
function say(answer: Answer): Promise<void> {
  return new Promise((resolve) => {
    if (send === undefined || !process.connected) return resolve();
    send({ [MARK]: answer }, undefined, undefined, () => resolve());
  });
}

async function open(role: RoleName, setup: unknown): Promise<unknown> {
  // Which setup belongs to which role, the types of the client have seen to.
  const { open: openRole } = (await openers[role]()) as unknown as { open: Open<RoleName> };
  playing = await openRole(setup as Parameters<typeof openRole>[0], (known) => say({ type: 'note', known }));
  return playing.opened;
}

async function serve(request: Request): Promise<void> {
  try {
    const value = await (request.type === 'open'
      ? open(request.role, request.setup)
      : playing!.step!(request.step as never));
    await say({ type: 'done', value });
  } catch (error) {
    await say({ type: 'failed', error: describeError(error) });
  }
}

process.on('message', (message) => {
  const request = unwrap<Request>(message);
  if (request !== undefined) void serve(request);
});
// Ctrl-C in a terminal is for all processes of the command; it decides itself when its probes end.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());

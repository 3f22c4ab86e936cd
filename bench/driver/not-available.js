// Thrown by a contender that the installed version of its package does not offer: the run goes on without it.

export class NotAvailable extends Error {
  name = 'NotAvailable';
}

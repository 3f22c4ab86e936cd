// Thrown by a scenario if this machine has not what it needs: the run goes on without that row.

export class NotAvailable extends Error {
  name = 'NotAvailable';
}

// What a contender throws that is not there in the installed version of its package: the run goes on without it.

export class NotAvailable extends Error {
  name = 'NotAvailable';
}

// The process that makes the load: the first order says where to, each further one for how long.
import { answerOrders } from '../../../fixtures/processes.js';
import { load, openConnections } from './generator.js';

let connections;

answerOrders(async (order) => {
  if (connections !== undefined) return load(connections, order.loadMs);
  connections = await openConnections(order);
});

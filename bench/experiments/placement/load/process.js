// The process that makes the load: the first order says where to, each further one for how long.
import { load, openConnections } from './generator.js';

let connections;

process.on('message', async (order) => {
  if (connections === undefined) {
    connections = await openConnections(order);
    process.send({});
  } else {
    process.send(await load(connections, order.loadMs));
  }
});
process.on('disconnect', () => process.exit()); // the sample is over, however it ended

/** Hosts and ports: which addresses only this machine can reach, and which Host headers mean this server. */
import { BlockList, isIP, isIPv6 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Names that mean this machine alone, of both address families. */
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const EVERY_ADDRESS = ['0.0.0.0', '::'];

/** Whether only this machine can reach `host`. False for every name but `localhost`: it may resolve to any address. */
export function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  const family = isIP(host);
  return family !== 0 && loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

/** Puts an IPv6 address in brackets, as a URL needs it. */
export function bracketed(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/**
 * The values of a Host header that mean a server on this port.
 * @param host the address or the name that it was told to listen on
 * @param address where it listens: the same address may be written in many ways, and clients take this one
 */
export function ownHosts(host: string, address: string, port: number): ReadonlySet<string> {
  const isEverywhere = EVERY_ADDRESS.includes(address);
  const names = [host, address].flatMap(spellings).concat(LOOPBACK_NAMES, isEverywhere ? machineNames() : []);
  const hosts = names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
  return new Set(hosts.map((each) => each.toLowerCase()));
}

/**
 * How clients write a host. Browsers write an IPv6 address as URLs do (`::ffff:127.0.0.1` becomes `::ffff:7f00:1`), curl writes it as it was given,
 * and both leave out the zone (`%eth0`), which no URL can have.
 */
function spellings(host: string): string[] {
  const given = bracketed(host);
  const zoneless = given.replace(/%.*\]$/, ']');
  return zoneless.startsWith('[') ? [given, zoneless, new URL(`http://${zoneless}`).hostname] : [given];
}

/** This machine's name and addresses: a server that listens on all addresses can be reached at each. */
function machineNames(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return [hostname(), ...addresses.map(({ address }) => bracketed(address))];
}

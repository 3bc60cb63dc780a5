import { isIPv6 } from 'node:net';

/** Whether only this machine can reach a server that listens there. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

/** Where commands of this machine reach a server that listens on an address. */
export const hereHost = (host: string): string => ({ '0.0.0.0': '127.0.0.1', '::': '::1' })[host] ?? host;

/** The address of a server as clients write it. */
export const serverUrl = (host: string, port: number, secure: boolean): string =>
  `${secure ? 'https' : 'http'}://${isIPv6(host) ? `[${host}]` : host}:${port}`;

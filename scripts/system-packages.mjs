// What tests need beside Node: found where it is, installed by apt where we may, else named.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * @typedef {object} SystemPackage
 * @property {string} name the Debian package
 * @property {string[][]} probes commands; one that succeeds shows that it is there
 * @property {string} suites the tests that are skipped without it
 */

/** @type {SystemPackage[]} */
const SYSTEM_PACKAGES = [
  {
    name: 'python3-jinja2',
    probes: ['/usr/bin/python3', 'python3'].map((python) => [python, '-c', 'import jinja2']),
    suites: 'comparison with real Jinja2',
  },
  { name: 'strace', probes: [['strace', '--version']], suites: 'executions on a disk that fails' },
  {
    name: 'postgresql',
    probes: ['/usr/lib/postgresql/*/bin/initdb', 'initdb'].map((initdb) => ['sh', '-c', `${initdb} --version`]),
    suites: 'tasks on PostgreSQL, results in PostgreSQL',
  },
  {
    name: 'nats-server',
    probes: ['nats-server', '/usr/sbin/nats-server'].map((program) => [program, '--version']),
    suites: 'results in NATS',
  },
];

/**
 * Installs what is missing if this is Debian and we are root.
 * @returns {SystemPackage[]} what is still missing
 */
export function installSystemPackages() {
  const missing = SYSTEM_PACKAGES.filter((wanted) => !present(wanted));
  const mayInstall = process.getuid?.() === 0 && existsSync('/etc/debian_version');
  if (missing.length === 0 || !mayInstall) return missing;
  const names = missing.map(({ name }) => name);
  console.log(`installing ${names.join(', ')}`);
  apt('update');
  apt('install', '--yes', '--no-install-recommends', ...names);
  return missing.filter((wanted) => !present(wanted));
}

/** @param {SystemPackage} wanted */
function present({ probes }) {
  return probes.some(([command = '', ...args]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0);
}

/** @param {string[]} args */
function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['--quiet', ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

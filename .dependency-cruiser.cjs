// The walls of docs/architecture.md. Each rule's comment is what a person sees who runs into it.

// Tests (`x.test.ts`) and what only tests use (`x.testing.ts`).
const TEST = '\\.(test|testing)\\.tsx?$';
const PURE = '^packages/(template|playbook|engine)/src/';
const SHELL = '^packages/noetl/src/';
const ADAPTER = `${SHELL}(stores|doorbell|results|secrets|tools|tracing)/`;
const NPM = ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-bundled', 'npm-no-pkg', 'npm-unknown'];

/** A package of ours may import only the ones below it. */
function only(importer, allowed) {
  const forbidden = ['template', 'playbook', 'engine', 'noetl', 'ui'].filter(
    (name) => name !== importer && !allowed.includes(name),
  );
  return {
    name: `${importer}-looks-down`,
    comment: `${importer} may import ${allowed.length > 0 ? allowed.join(', ') : 'no other package of ours'}: template ← playbook ← engine ← noetl.`,
    severity: 'error',
    from: { path: `^packages/${importer}/src/` },
    to: { path: `^packages/(${forbidden.join('|')})/` },
  };
}

/** A pure package has a closed list of npm packages, so that it stays small and browser-safe. */
function npmOnly(importer, allowed) {
  return {
    name: `${importer}-npm-list`,
    comment: `${importer} may use ${allowed.length > 0 ? `npm's ${allowed.join(', ')}` : 'no npm package'}; anything else needs a decision in docs/decisions.`,
    severity: 'error',
    from: { path: `^packages/${importer}/src/`, pathNot: TEST },
    to: { dependencyTypes: NPM, pathNot: ['^packages/', ...allowed.map((name) => `(^|/)node_modules/${name}/`)] },
  };
}

module.exports = {
  forbidden: [
    only('template', []),
    only('playbook', ['template']),
    only('engine', ['playbook', 'template']),
    only('noetl', ['engine', 'playbook', 'template']),
    only('ui', ['engine', 'playbook', 'template']),
    npmOnly('template', []),
    npmOnly('playbook', ['zod']),
    npmOnly('engine', ['zod']),
    {
      name: 'packages-by-their-door',
      comment:
        "A package is imported by its name, through its index.ts; another package's inner files are its own affair.",
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: { path: '^packages/([^/]+)/', pathNot: ['^packages/$1/', '^packages/[^/]+/src/index\\.ts$'] },
    },
    {
      name: 'pure-packages-have-no-node',
      comment: 'template, playbook and engine run in a browser: no Node module, no I/O, no clock.',
      severity: 'error',
      from: { path: PURE, pathNot: TEST },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'server-not-worker',
      comment: 'The server talks to workers through leases and reports only.',
      severity: 'error',
      from: { path: `${SHELL}server/` },
      to: { path: `${SHELL}worker/` },
    },
    {
      name: 'worker-not-server',
      comment: 'A worker talks to the server through leases and reports only.',
      severity: 'error',
      from: { path: `${SHELL}worker/` },
      to: { path: `${SHELL}server/` },
    },
    {
      name: 'adapters-are-chosen-by-cli',
      comment: 'Code depends on ports; only cli/ (and tests) may name an adapter. define-tool.ts is the port of tools.',
      severity: 'error',
      from: { path: '^packages/', pathNot: [`${SHELL}cli/`, ADAPTER, TEST] },
      to: { path: ADAPTER, pathNot: `${SHELL}tools/define-tool\\.ts$` },
    },
    {
      name: 'adapters-keep-to-themselves',
      comment: 'An adapter knows its ports and its own family, never another family of adapters.',
      severity: 'error',
      from: { path: ADAPTER, pathNot: TEST },
      to: { path: ADAPTER, pathNot: [`${SHELL}$1/`, `${SHELL}tools/define-tool\\.ts$`] },
    },
    {
      name: 'stores-keep-to-themselves',
      comment: 'memory, sqlite and postgres meet in their port and its contract suite, not in each other.',
      severity: 'error',
      from: { path: `${SHELL}stores/([^/]+)/`, pathNot: TEST },
      to: { path: `${SHELL}stores/[^/]+/`, pathNot: `${SHELL}stores/$1/` },
    },
    {
      name: 'adapters-below-server-and-worker',
      comment: 'Adapters are plugged into server and worker; they never reach up into them.',
      severity: 'error',
      from: { path: ADAPTER, pathNot: TEST },
      to: { path: `${SHELL}(server|worker)/` },
    },
    {
      name: 'ports-are-interfaces',
      comment: 'A port knows the core and other ports, nothing that implements or uses it.',
      severity: 'error',
      from: { path: `${SHELL}ports/`, pathNot: TEST },
      to: { path: SHELL, pathNot: `${SHELL}ports/` },
    },
    {
      name: 'cli-is-the-root',
      comment: 'cli/ puts the program together; nothing may depend on how, but for the simulation, which simulates it.',
      severity: 'error',
      from: { path: '^packages/', pathNot: `${SHELL}(cli|simulation)/` },
      to: { path: `${SHELL}cli/` },
    },
    {
      name: 'process-belongs-to-cli',
      comment: 'Only cli/ reads the process and its environment; everyone else is given what they need.',
      severity: 'error',
      from: { path: '^packages/', pathNot: [`${SHELL}cli/`, TEST] },
      to: { dependencyTypes: ['core'], path: '^(node:)?process$' },
    },
    {
      name: 'packages-stand-alone',
      comment: 'What is published cannot depend on tests, benches or scripts.',
      severity: 'error',
      from: { path: '^packages/', pathNot: TEST },
      to: { path: [TEST, '^(bench|conformance|e2e|examples|scripts)/'] },
    },
    {
      name: 'no-development-dependency',
      comment: 'Published code may use only what its package declares as a dependency.',
      severity: 'error',
      from: { path: '^packages/', pathNot: TEST },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['npm'],
        pathNot: '^packages/',
      },
    },
    {
      name: 'no-cycle',
      comment: 'Files that need each other, be it only for a type, are one file or three.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'everything-resolves',
      comment: 'An import that cannot be found hides a wall that cannot be checked.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/[^/]+/(dist|node_modules)/' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@noetl/source', 'import', 'types', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
  },
};

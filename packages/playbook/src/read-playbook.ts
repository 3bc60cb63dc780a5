import type { Diagnostic } from './diagnostics/diagnostic.ts';
import { Problems, TooManyProblems } from './diagnostics/problems.ts';
import { DOCUMENT_LIMITS } from './limits.ts';
import { type Original, TranslatedLines } from './migrate/translated-lines.ts';
import type { KeychainEntry, Metadata, Playbook, Step } from './model/playbook.ts';
import { API_VERSION, DOCUMENT_KIND, ROOT_KEYS } from './model/vocabulary.ts';
import { checkNames } from './names/check-names.ts';
import { checkWorkbook } from './reading/check-workbook.ts';
import { NAME_SOURCES } from './reading/doubts.ts';
import { OLDER_ROOT_KEYS } from './reading/older-keys.ts';
import { readExecutor, readKeychain, readMetadata, readWorkbook, readWorkload } from './reading/read-root.ts';
import { readStep } from './reading/read-step.ts';
import { describe, hasUnread, Reading } from './reading/reading.ts';
import { checkSoundness } from './soundness/check-soundness.ts';
import { entryOf, type MapNode, type Span, type YamlNode } from './yaml/node.ts';
import { readYaml } from './yaml/read-yaml.ts';

export interface ReadOptions {
  /** The name of the file in diagnostics. */
  readonly file: string;
  /** Root keys beyond the language's that are let pass (DOC-2). */
  readonly extensions?: readonly string[];
  /** MIG-2: what the text was translated from; every place is then one in there. */
  readonly original?: Original | undefined;
}

export interface PlaybookReading {
  /** Present exactly if no diagnostic is an error. */
  readonly playbook: Playbook | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** From text to the canonical playbook, or to everything that is wrong with it. */
export function readPlaybook(text: string, options: ReadOptions): PlaybookReading {
  const { original } = options;
  const problems = new Problems(options.file, original === undefined ? text : new TranslatedLines(text, original));
  try {
    const playbook = readDocument(text, options.extensions ?? [], problems);
    return { playbook: problems.errorCount > 0 ? undefined : playbook, diagnostics: problems.list() };
  } catch (error) {
    if (error instanceof TooManyProblems) return { playbook: undefined, diagnostics: problems.list() };
    throw error;
  }
}

function readDocument(text: string, extensions: readonly string[], problems: Problems): Playbook | undefined {
  const yaml = readYaml(text);
  if ('error' in yaml) {
    for (const { code, span, message, hint } of yaml.errors) problems.error(code, span, message, hint);
  }
  if (yaml.node === undefined) return undefined;
  const reading = new Reading(problems);
  const playbook = readRoot(yaml.node, extensions, reading);
  if (playbook === undefined) return undefined;
  // What the text lost may have been anything.
  if ('error' in yaml) for (const source of NAME_SOURCES) reading.doubts.names.add(source);
  checkNames(playbook, problems, reading.doubts);
  if (!('error' in yaml)) checkSoundness(playbook, problems, reading.doubts);
  return playbook;
}

function readRoot(node: YamlNode, extensions: readonly string[], reading: Reading): Playbook | undefined {
  if (node.kind !== 'map') {
    reading.problems.error(
      'NOETL_TYPE',
      node.span,
      `the document is ${describe(node)}, expected a playbook`,
      'A playbook starts with apiVersion, kind, metadata and workflow.',
    );
    return undefined;
  }
  const known = [...ROOT_KEYS, ...extensions];
  reading.keys(node, 'the playbook', known, OLDER_ROOT_KEYS);
  if (hasUnread(node, known)) for (const source of NAME_SOURCES) reading.doubts.names.add(source);
  checkVersion(node, reading);
  const value = (key: string) => entryOf(node, key)?.value;
  const metadataEntry = reading.required(node, 'metadata', 'the playbook', 'Write metadata: { name: daily_report }.');
  const metadataMap =
    metadataEntry && reading.map(metadataEntry.value, 'metadata', 'Write metadata: { name: daily_report }.');
  const metadata = metadataMap && readMetadata(metadataMap, reading);
  const executorNode = value('executor');
  const { executor, entryStep, resultStep } = readExecutor(
    executorNode && reading.map(executorNode, 'executor'),
    reading,
  );
  const [keychain, workload, workbook] = [value('keychain'), value('workload'), value('workbook')];
  const rest = {
    keychain: keychain === undefined ? [] : readKeychain(keychain, reading),
    executor,
    workload: workload === undefined ? ({ kind: 'literal', value: {} } as const) : readWorkload(workload, reading),
    workbook: workbook === undefined ? new Map() : readWorkbook(workbook, reading),
  };
  const workflowEntry = reading.required(node, 'workflow', 'the playbook', 'List at least one step.');
  if (workflowEntry === undefined) return undefined;
  const workflow = readWorkflow(workflowEntry.value, executor.profile, reading);
  const names = workflow.map((step) => step.name);
  for (const named of [entryStep, resultStep]) {
    if (named !== undefined && !names.includes(named.name)) unknownStep(named.name, named.node.span, names, reading);
  }
  checkArcs(workflow, names, reading);
  checkWorkbook(workflow, rest.workbook, reading);
  checkCredentials(rest.keychain, reading);
  if (entryStep === undefined && names.length > 0 && !names.includes('start')) {
    reading.problems.error(
      'NOETL_ENTRY_MISSING',
      workflowEntry.keySpan,
      "no step is the entry: none is named 'start'",
      'Name the first step start, or set executor.spec.entry_step.',
    );
  }
  return {
    metadata: metadata ?? NAMELESS,
    ...rest,
    workflow,
    entryStep: entryStep?.name ?? 'start',
    resultStep: resultStep?.name,
  };
}

/** Stands for metadata that could not be read, which was reported. */
const NAMELESS: Metadata = { name: '', path: '', version: undefined, description: undefined, labels: {}, tags: [] };

function checkVersion(root: MapNode, reading: Reading): void {
  const version = reading.required(root, 'apiVersion', 'the playbook', `Write apiVersion: ${API_VERSION}.`);
  if (version !== undefined && !(version.value.kind === 'scalar' && version.value.value === API_VERSION)) {
    reading.problems.error(
      'NOETL_API_VERSION',
      version.value.span,
      `apiVersion is ${describe(version.value)}, expected '${API_VERSION}'`,
      'noetl migrate rewrites older playbooks, --legacy takes them as they are.',
    );
  }
  const kind = reading.required(root, 'kind', 'the playbook', 'Write kind: Playbook.');
  if (kind !== undefined && !(kind.value.kind === 'scalar' && kind.value.value === DOCUMENT_KIND)) {
    const found = kind.value.kind === 'scalar' && typeof kind.value.value === 'string' ? kind.value.value : '';
    const near = reading.problems.suggest(found, [DOCUMENT_KIND]);
    const message = `kind is ${describe(kind.value)}, expected '${DOCUMENT_KIND}'`;
    reading.problems.error('NOETL_KIND', kind.value.span, message, near ?? `Write kind: ${DOCUMENT_KIND}.`);
  }
}

/** DOC-4: a non-empty list of steps with unique names. */
function readWorkflow(node: YamlNode, profile: 'local' | 'distributed', reading: Reading): readonly Step[] {
  const items = reading.list(node, 'workflow', 'Write one step an item: - step: start') ?? [];
  if (node.kind === 'list' && items.length === 0) {
    reading.problems.error('NOETL_REQUIRED', node.span, 'workflow is an empty list', 'List at least one step.');
  }
  if (items.length > DOCUMENT_LIMITS.steps) {
    reading.problems.error(
      'NOETL_LIMIT',
      node.span,
      `the workflow has ${items.length} steps, the limit is ${DOCUMENT_LIMITS.steps}`,
      'Split it into several playbooks, or repeat steps by a loop.',
    );
    return [];
  }
  const seen = new Set<string>();
  return items.flatMap((item, i): Step[] => {
    const step = readStep(item, i, profile, reading);
    if (step === undefined) return [];
    if (seen.has(step.name)) {
      const name = item.kind === 'map' ? entryOf(item, 'step')?.value.span : undefined;
      reading.problems.error(
        'NOETL_STEP_DUPLICATE',
        name ?? item.span,
        `two steps are named '${step.name}'`,
        'Arcs go by name: rename one of them.',
      );
      for (const source of ['ctx', 'args'] as const) reading.doubts.names.add(source);
      reading.doubts.steps.add(step.name);
      return [];
    }
    seen.add(step.name);
    return [step];
  });
}

/** DOC-7: an arc goes to a step of the workflow; one to an undefined `end` ends its branch. */
function checkArcs(workflow: readonly Step[], names: readonly string[], reading: Reading): void {
  const known = new Set([...names, 'end']);
  for (const step of workflow) {
    for (const arc of step.router?.arcs ?? []) {
      if (known.has(arc.step)) continue;
      const start = reading.problems.lines.offset(arc.place);
      unknownStep(arc.step, { start, end: start + arc.step.length }, names, reading);
      reading.doubts.steps.add(step.name);
    }
  }
}

/** A task names a declared credential. A playbook without a keychain may leave that to where it runs. */
function checkCredentials(keychain: readonly KeychainEntry[], reading: Reading): void {
  const names = new Set(keychain.map((entry) => entry.name));
  if (names.size === 0 || reading.doubts.names.has('keychain')) return;
  for (const { name, span } of reading.credentials) {
    if (names.has(name)) continue;
    const hint = reading.problems.suggest(name, names) ?? 'Declare it in the keychain section.';
    reading.problems.warn('NOETL_NAME_UNKNOWN', span, `auth names '${name}', which the keychain does not have`, hint);
  }
}

function unknownStep(name: string, span: Span, names: readonly string[], reading: Reading): void {
  const hint =
    reading.problems.suggest(name, names) ??
    `Its steps are: ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}.`;
  reading.problems.error('NOETL_ARC_TARGET_UNKNOWN', span, `the step '${name}' does not exist in this workflow`, hint);
}

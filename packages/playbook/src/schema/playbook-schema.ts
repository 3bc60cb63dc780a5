import { DOCUMENT_LIMITS } from '../limits.ts';
import {
  API_VERSION,
  DOCUMENT_KIND,
  EXECUTOR_KEYS,
  EXECUTOR_SPEC_KEYS,
  METADATA_KEYS,
  PROFILES,
  ROOT_KEYS,
  RUNTIME_VERSION,
} from '../model/vocabulary.ts';
import { closed, ref, type Schema, seconds, TEMPLATE_DEFINITION, text, word } from './building-blocks.ts';
import { keychainDefinitions, keychainSchema } from './keychain-schema.ts';
import { layerDefinitions, layerSchema } from './layer-schema.ts';
import { policyDefinitions } from './policy-schema.ts';
import { PROFILE_MEANINGS, stepDefinitions } from './step-schema.ts';
import { taskDefinitions, workbookSchema } from './task-schema.ts';

/**
 * DOC-12: the language as a JSON Schema, for completion, hover and checks in editors. It is made of the tables the reader
 * itself uses. It knows what stands in one place; what needs two places (a name and what it names, a template and what
 * it may read) only the reader knows.
 *
 * Draft-07, because every release of the YAML language server in use understands it; newer drafts are understood by the
 * newest releases only, and nothing here needs them.
 */
export function playbookSchema(): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...closed(
      ROOT_KEYS,
      {
        apiVersion: { description: 'The version of the language.', const: API_VERSION },
        kind: { description: 'What the document is.', const: DOCUMENT_KIND },
        metadata: metadataSchema(),
        keychain: keychainSchema,
        executor: executorSchema(),
        workload: {
          title: 'Workload',
          description: 'Default values of the input, read as workload.<key>; the payload of a request goes over them.',
          type: ['object', 'null'],
          examples: [{ cities: ['Oslo', 'Rome'] }],
        },
        workflow: {
          title: 'Workflow',
          description: 'The steps. The first token goes to the step named start, or to executor.spec.entry_step.',
          type: 'array',
          minItems: 1,
          maxItems: DOCUMENT_LIMITS.steps,
          items: ref('step'),
        },
        workbook: workbookSchema,
      },
      {
        title: 'NoETL playbook',
        description: 'A workflow of steps that call tools.',
        required: ['apiVersion', 'kind', 'metadata', 'workflow'],
        examples: [
          {
            apiVersion: API_VERSION,
            kind: DOCUMENT_KIND,
            metadata: { name: 'hello' },
            workload: { name: 'world' },
            workflow: [{ step: 'start', tool: { kind: 'noop', result: 'Hello {{ workload.name }}' } }],
          },
        ],
      },
    ),
    definitions: {
      template: TEMPLATE_DEFINITION,
      ...stepDefinitions(),
      ...taskDefinitions(),
      ...policyDefinitions(),
      ...layerDefinitions(),
      ...keychainDefinitions(),
    },
  };
}

/** DOC-3. */
function metadataSchema(): Schema {
  return closed(
    METADATA_KEYS,
    {
      name: text('The name of the playbook.', { examples: ['daily_report'] }),
      path: text('Its path in the catalog; the name otherwise.', { examples: ['reports/daily'] }),
      version: text('Its version.', { examples: ['1.0'] }),
      description: text('What it is for, for people.'),
      labels: {
        description: 'Labels to find it by.',
        type: 'object',
        additionalProperties: { type: ['string', 'number', 'boolean'], minLength: 1 },
        examples: [{ team: 'data' }],
      },
      tags: {
        description: 'Tags to find it by.',
        type: 'array',
        items: { type: ['string', 'number'], minLength: 1 },
        examples: [['daily']],
      },
    },
    { title: 'Metadata', description: 'What the playbook is called and where it is found.', required: ['name'] },
  );
}

/** DOC-10. */
function executorSchema(): Schema {
  return closed(
    EXECUTOR_KEYS,
    {
      profile: word(PROFILES, PROFILE_MEANINGS, 'Where the iterations of loops run, unless a loop says otherwise.', {
        default: 'local',
      }),
      version: { description: 'The runtime the playbook is written for.', enum: [RUNTIME_VERSION] },
      spec: layerSchema(
        EXECUTOR_SPEC_KEYS,
        {
          entry_step: text('The step that gets the first token.', { default: 'start' }),
          result_step: text("The step whose result is the execution's; the last one that ended a branch otherwise."),
          execution_timeout: seconds('How many seconds an execution may take.'),
          step_timeout: seconds('How many seconds one run of a step may take that has no step_timeout of its own.'),
        },
        'Spec of the executor',
        'The outermost layer: steps, loops and tasks inherit it.',
      ),
    },
    { title: 'Executor', description: 'How executions of this playbook run.' },
  );
}

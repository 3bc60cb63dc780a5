import { describe, expect, test } from 'vitest';
import { createEngine, TemplateError } from './index.ts';

/** Published template-injection payloads by family; each tries to leave the data for the host. */
const PAYLOADS: Readonly<Record<string, readonly string[]>> = {
  'nunjucks and other JavaScript engines': [
    `{{ range.constructor("return process")() }}`,
    `{{ range.constructor("return global.process.mainModule.require('child_process').execSync('id')")() }}`,
    `{{ ({}).constructor.constructor("return this")() }}`,
    `{{ [].constructor.constructor("globalThis.polluted = 1")() }}`,
    `{{ ''.constructor.constructor("return process.env")() }}`,
    `{{ "".sub.constructor("globalThis.polluted = 1")() }}`,
    `{{ (1).constructor.constructor("return 1")() }}`,
    `{{ cycler.constructor("return process")() }}`,
    `{{ joiner.constructor.constructor("return process")() }}`,
    `{{ joiner().constructor("return process")() }}`,
    `{{ toString.constructor.prototype.toString.constructor("return process")() }}`,
    `{{ user["constructor"]["constructor"]("return process")() }}`,
    `{{ user['cons' ~ 'tructor'] }}`,
    `{{ user['\\x63onstructor'] }}`,
    `{{ user['\\u0063onstructor']['\\u0063onstructor'] }}`,
    `{{ user.__proto__ }}`,
    `{{ user.__proto__.polluted }}`,
    `{{ user['__proto__']['constructor'] }}`,
    `{{ user.hasOwnProperty.constructor("return process")() }}`,
    `{{ user.toString() }}`,
    `{{ user.toString.call(1) }}`,
    `{{ user.valueOf().constructor }}`,
    `{{ user.__defineGetter__('x', range) }}`,
    `{{ user.__lookupGetter__('__proto__') }}`,
    `{{ list.map.constructor("return process")() }}`,
    `{{ list.concat.call }}`,
    `{{ list.filter.constructor("globalThis.polluted=1")() }}`,
    `{{ list.constructor.from.constructor("return 1")() }}`,
    `{{ text.replace.constructor("return 1")() }}`,
    `{{ text.at.constructor("return 1")() }}`,
    `{{ text['length'].constructor.constructor("return 1")() }}`,
    `{{ namespace.constructor("return 1")() }}`,
    `{{ dict.constructor("return 1")() }}`,
    `{{ dict(__proto__=1).polluted }}`,
    `{% set x = dict(__proto__={'polluted': 1}) %}{{ x.polluted }}{{ {}.polluted }}`,
    `{% set ns = namespace() %}{% set ns.__proto__ = {'polluted': 1} %}{{ user.polluted }}`,
    `{% set ns = namespace(constructor=1) %}{{ ns.constructor.constructor }}`,
    `{% set a = {'__proto__': {'polluted': true}} %}{{ a.polluted }}{{ user.polluted }}`,
    `{% set a = {} %}{{ a.update({'__proto__': {'polluted': true}}) }}{{ user.polluted }}`,
    `{% set a = {} %}{{ a.setdefault('__proto__', {}).update(polluted=1) }}{{ user.polluted }}`,
    `{{ user.__proto__.update({'polluted': 1}) }}`,
    `{{ '{"__proto__": {"polluted": 1}}' | fromjson }}`,
    `{{ ('{"__proto__": {"polluted": 1}}' | fromjson).polluted }}`,
    `{% macro m() %}{% endmacro %}{{ m.constructor("return process")() }}`,
    `{% macro m() %}{{ caller.constructor("return 1")() }}{% endmacro %}{% call m() %}{% endcall %}`,
    `{% macro m() %}{% endmacro %}{{ m.__proto__.polluted }}{{ m.call(1) }}{{ m.apply }}{{ m.bind }}`,
    `{% for x in [1] %}{{ loop.constructor.constructor("return 1")() }}{% endfor %}`,
    `{% for x in [1] %}{{ loop.__proto__ }}{{ loop['constructor'] }}{% endfor %}`,
  ],
  'filters and tests as a way round': [
    `{{ user | attr('constructor') }}`,
    `{{ user | attr('__proto__') | attr('constructor') }}`,
    `{{ user | attr('con' ~ 'structor') | attr('constructor') }}`,
    `{{ [user] | map(attribute='constructor') | list }}`,
    `{{ [user] | map(attribute='constructor.constructor') | first }}`,
    `{{ [user] | map(attribute='__proto__') | list }}`,
    `{{ [user] | map('attr', 'constructor') | list }}`,
    `{{ [user] | selectattr('constructor') | list | length }}`,
    `{{ [user] | rejectattr('__proto__') | list | length }}`,
    `{{ [user] | groupby('constructor') }}`,
    `{{ [user] | sort(attribute='__proto__.constructor') }}`,
    `{{ [user] | sum(attribute='constructor') }}`,
    `{{ [user] | unique(attribute='constructor') | list | length }}`,
    `{{ [user] | join(',', attribute='constructor') }}`,
    `{{ [user] | max(attribute='constructor') }}`,
    `{{ ['return process'] | map('constructor') | list }}`,
    `{{ ['x'] | map('__proto__') | list }}`,
    `{{ ['x'] | map('toString') | list }}`,
    `{{ 'x' | constructor }}`,
    `{{ 'x' | __proto__ }}`,
    `{{ 'x' | toString }}`,
    `{{ 'x' is constructor }}`,
    `{{ 'x' is __proto__ }}`,
    `{{ 'constructor' is filter }}{{ 'hasOwnProperty' is test }}{{ '__proto__' is filter }}`,
    `{{ ['x'] | select('constructor') | list }}`,
    `{{ ['x'] | select('toString') | list }}`,
    `{{ {'constructor': 1} | xmlattr }}`,
    `{{ user | items | list | tojson }}`,
    `{{ user | dictsort(by='constructor') }}`,
    `{{ 'x' | replace('x', range) }}`,
    `{{ range | string }}`,
    `{{ range | tojson }}`,
    `{{ [range, dict, cycler] | pprint }}`,
    `{{ range is callable }}{{ range.__class__ }}`,
  ],
  'Jinja2 in Python': [
    `{{ ''.__class__.__mro__[1].__subclasses__() }}`,
    `{{ ''.__class__.__base__.__subclasses__()[104].__init__.__globals__['sys'].modules['os'].popen('id').read() }}`,
    `{{ ().__class__.__bases__[0].__subclasses__() }}`,
    `{{ [].__class__.__mro__ }}`,
    `{{ config.items() }}`,
    `{{ config.__class__.__init__.__globals__['os'].popen('id').read() }}`,
    `{{ self.__init__.__globals__.__builtins__.__import__('os').popen('id').read() }}`,
    `{{ self._TemplateReference__context.cycler.__init__.__globals__.os }}`,
    `{{ cycler.__init__.__globals__.os.popen('id').read() }}`,
    `{{ joiner.__init__.__globals__.os.popen('id').read() }}`,
    `{{ namespace.__init__.__globals__.os.popen('id').read() }}`,
    `{{ lipsum.__globals__['os'].popen('id').read() }}`,
    `{{ lipsum | attr('__globals__') }}`,
    `{{ request.application.__globals__.__builtins__.__import__('os') }}`,
    `{{ url_for.__globals__.current_app.config }}`,
    `{{ get_flashed_messages.__globals__ }}`,
    `{{ request | attr('application') | attr('\\x5f\\x5fglobals\\x5f\\x5f') }}`,
    `{{ () | attr('__class__') | attr('__base__') | attr('__subclasses__')() }}`,
    `{{ ''['__class__']['__mro__'] }}`,
    `{{ ''['\\x5f\\x5fclass\\x5f\\x5f'] }}`,
    `{{ dict(__class__=1) | attr('__class__') }}`,
    `{{ range(5).__class__.__init__ }}`,
    `{% for c in [].__class__.__base__.__subclasses__() %}{{ c.__name__ }}{% endfor %}`,
    `{% if ''.__class__.__mro__[2] %}x{% endif %}`,
    `{% set g = cycler.__init__.__globals__ %}{{ g }}`,
    `{% with a = cycler('x').__init__ %}{{ a.__globals__ }}{% endwith %}`,
    `{% macro m() %}{% endmacro %}{{ m.__globals__ }}{{ m.__code__ }}{{ m._func.__globals__ }}`,
    `{% include '/etc/passwd' %}`,
    `{% import 'os' as os %}{{ os.popen('id').read() }}`,
    `{% extends 'x' %}`,
    `{% block x %}{{ self.x() }}{% endblock %}`,
    `{{ x.__init__.__globals__ if x is defined else ''.__class__ }}`,
    `{{ (1).__class__.__base__ }}`,
    `{{ true.__class__ }}{{ none.__class__ }}{{ missing.__class__ }}`,
    `{{ missing.__init__.__globals__ }}`,
    `{{ loop.__init__ }}`,
    `{{ caller.__globals__ }}`,
    `{{ context.get_all() }}{{ environment }}{{ eval_ctx }}`,
  ],
  'format strings': [
    `{{ '{0.__class__}'.format(user) }}`,
    `{{ '{0.__class__.__init__.__globals__}'.format(user) }}`,
    `{{ '{0[__proto__]}'.format(user) }}`,
    `{{ '{0.constructor}'.format(user) }}`,
    `{{ '{0.constructor.constructor}'.format(list) }}`,
    `{{ '{a[constructor]}'.format(a=user) }}`,
    `{{ '{a.__proto__.polluted}'.format(a=text) }}`,
    `{{ '{0!r:{1}}'.format(user, 'constructor') }}`,
    `{{ '{x.__globals__}'.format_map({'x': range}) }}`,
    `{{ '%(__proto__)s' % user }}`,
    `{{ '%(constructor)s' % user }}`,
    `{{ '%(constructor)s' | format(**user) }}`,
    `{{ '{constructor}'.format(**user) }}`,
    `{{ '{0}'.format(range) }}`,
    `{{ ('{0' ~ '.__class__}').format(text) }}`,
  ],
  'n8n and other expression languages': [
    `{{ (function(){ return this.process.mainModule.require('child_process').execSync('id') })() }}`,
    `{{ (() => this.constructor.constructor('return process')())() }}`,
    `{{ $json.constructor.constructor('return process')() }}`,
    `{{ $evaluateExpression.constructor('return process')() }}`,
    `{{ this.constructor.constructor('return process.env')() }}`,
    `{{ globalThis.process.exit(1) }}`,
    `{{ process.env }}`,
    `{{ process.mainModule.require('fs').readFileSync('/etc/passwd') }}`,
    `{{ require('child_process').execSync('id') }}`,
    `{{ Object.assign({}, {'polluted': 1}) }}`,
    `{{ Object.prototype.polluted }}`,
    `{{ Reflect.construct(Function, ['return 1'])() }}`,
    `{{ new Function('return process')() }}`,
    `{{ eval('1') }}`,
    `{{ Function('return 1')() }}`,
    `{{ import('fs') }}`,
    `{{ \`\${process.env}\` }}`,
    `{{ [].map.call }}`,
    `{{ text.constructor.fromCharCode(97) }}`,
    `{{ list.reduce.constructor('return 1')() }}`,
    `{{ Error().stack }}`,
    `{{ arguments.callee }}`,
    `{{ user?.constructor }}`,
    `\${7*7}#{7*7}<%= 7*7 %>`,
  ],
  'Twig, Handlebars, Velocity, Freemarker, Angular': [
    `{{ _self.env.registerUndefinedFilterCallback('exec') }}{{ _self.env.getFilter('id') }}`,
    `{{ ['id'] | filter('system') }}`,
    `{{ ['id', 0] | sort('system') | join('') }}`,
    `{{ ['id'] | map('system') | join }}`,
    `{{ ['id'] | map('passthru') }}`,
    `{{ [0, 0] | reduce('system', 'id') }}`,
    `{{ {'<script>alert(1)': 1} | keys }}`,
    `{{ app.request.server.all | join(',') }}`,
    `{{#with "s" as |string|}}{{#with split as |conslist|}}{{this.pop}}{{this.push (lookup string.sub "constructor")}}{{/with}}{{/with}}`,
    `{{#each this}}{{@key}}{{/each}}`,
    `{{lookup this 'constructor'}}`,
    `#set($x='')#set($rt=$x.class.forName('java.lang.Runtime'))`,
    `<#assign ex="freemarker.template.utility.Execute"?new()>\${ex("id")}`,
    `{{constructor.constructor('alert(1)')()}}`,
    `{{a='constructor';b={};a.sub.call.call(b[a].getOwnPropertyDescriptor(b[a].getPrototypeOf(a.sub),a).value,0,'alert(1)')()}}`,
    `{{x={'y':''.constructor.prototype}; x['y'].charAt=[].join; $eval('x=alert(1)');}}`,
    `{{'a'.constructor.prototype.charAt=[].join}}`,
    `{% set __proto__ = {'polluted': 1} %}{{ polluted }}`,
    `{% set constructor = 1 %}{{ user.constructor }}`,
    `{% for __proto__ in [{'polluted': 1}] %}{{ polluted }}{% endfor %}`,
    `{% set x, __proto__ = 1, {'polluted': 1} %}{{ user.polluted }}`,
    `{% with __proto__ = {'polluted': 1} %}{{ user.polluted }}{% endwith %}`,
    `{% macro __proto__(polluted=1) %}{{ polluted }}{% endmacro %}{{ user.polluted }}`,
    `{% macro m(**kwargs) %}{% endmacro %}{{ m(__proto__=1) }}`,
    `{% macro m() %}{{ kwargs }}{% endmacro %}{{ m(__proto__={'polluted': 1}) }}`,
  ],
};

function scope(): Record<string, unknown> {
  return {
    user: { login: 'Ada', roles: ['admin'], nested: { depth: { value: 1 } } },
    list: [3, 1, 2],
    text: 'some <text>',
    number: 4.5,
    nothing: null,
  };
}

const WATCHED = [Object, Array, Function, String, Number, Boolean, BigInt, Map, Set, Error, RegExp, Promise, Symbol];

/** Every own property of the built-in prototypes, with its value. */
function prototypeSnapshot(): readonly [string, PropertyKey, unknown][] {
  return WATCHED.flatMap((type) =>
    Reflect.ownKeys(type.prototype).map((key): [string, PropertyKey, unknown] => [
      type.name,
      key,
      Reflect.getOwnPropertyDescriptor(type.prototype, key)?.value,
    ]),
  );
}

const untouched = prototypeSnapshot();

function expectNothingPolluted(): void {
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
  expect(Reflect.get([], 'polluted')).toBeUndefined();
  expect(Reflect.get(() => 1, 'polluted')).toBeUndefined();
  expect(Reflect.get(globalThis, 'polluted')).toBeUndefined();
  const now = prototypeSnapshot();
  expect(now.length).toBe(untouched.length);
  expect(now.every(([, , value], index) => Object.is(value, untouched[index]?.[2]))).toBe(true);
}

/** Plain data through and through: no function, symbol, class instance or accessor anywhere in it. */
function expectPlainData(value: unknown, depth = 0): void {
  expect(['undefined', 'boolean', 'number', 'bigint', 'string', 'object']).toContain(typeof value);
  if (typeof value !== 'object' || value === null) return;
  expect(depth).toBeLessThan(50);
  expect([Object.prototype, Array.prototype, Map.prototype, null]).toContain(Object.getPrototypeOf(value));
  const items = value instanceof Map ? [...value].flat() : ownValues(value);
  for (const item of items) expectPlainData(item, depth + 1);
}

function ownValues(value: object): unknown[] {
  return Object.values(Object.getOwnPropertyDescriptors(value)).map((property) => {
    expect(property.get).toBeUndefined();
    expect(property.set).toBeUndefined();
    return property.value;
  });
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) deepFreeze(item);
    Object.freeze(value);
  }
  return value;
}

const HOST_TEXT = /native code|\[object |function\s*\w*\(|=>|uid=|root:|child_process'?\)|node:internal/;

function runHarmlessly(
  payload: string,
  mode: 'default' | 'strict' | 'chainable' | 'checked',
  data: Record<string, unknown>,
): void {
  const engine = createEngine({ undefined: mode });
  for (const how of ['evaluate', 'render'] as const) {
    try {
      const result = engine.compile(payload)[how](data, { seed: 1 });
      expectPlainData(result);
      if (typeof result === 'string' && !/^[^{]*$/.test(payload)) expect(result).not.toMatch(HOST_TEXT);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      expect(error.code).toMatch(/^NOETL_TEMPLATE_/);
      expect(error.message.replace(payload, '')).not.toMatch(/native code/);
    }
  }
}

const all = Object.entries(PAYLOADS).flatMap(([family, payloads]) => payloads.map((payload) => ({ family, payload })));

test('there are enough published payloads', () => {
  expect(new Set(all.map(({ payload }) => payload)).size).toBeGreaterThanOrEqual(60);
});

describe('a template-injection payload reaches nothing', () => {
  test.each(all)('$family: $payload', ({ payload }) => {
    for (const mode of ['default', 'strict', 'chainable', 'checked'] as const) {
      const data = scope();
      runHarmlessly(payload, mode, data);
      expect(data).toEqual(scope());
      runHarmlessly(payload, mode, deepFreeze(scope()));
      expectNothingPolluted();
    }
  });
});

describe('a name that JavaScript objects inherit', () => {
  const inherited = [
    ...new Set([Object, Array, String, Number, Function, Map].flatMap((type) => Reflect.ownKeys(type.prototype))),
  ]
    .filter((key): key is string => typeof key === 'string')
    .filter((key) => /^\w+$/.test(key));

  test.each(inherited)('%s is not a value of any data', (name) => {
    const engine = createEngine({ undefined: 'chainable' });
    for (const holder of [
      'user',
      'list',
      'text',
      'number',
      'nothing',
      'missing',
      'range',
      '[1]',
      '{}',
      '()',
      'dict(a=1)',
    ]) {
      for (const source of [
        `{{ ${holder}.${name} }}`,
        `{{ ${holder}['${name}'] }}`,
        `{{ [${holder}] | map(attribute='${name}') | first }}`,
      ]) {
        expect(valueIn(engine, source), source).toBeUndefined();
      }
    }
    expect(valueIn(engine, `{{ ${/^\d/.test(name) ? 'x' : name} }}`)).toBeUndefined();
  });

  function valueIn(engine: ReturnType<typeof createEngine>, source: string): unknown {
    try {
      return engine.compile(source).evaluate(scope());
    } catch (error) {
      if (error instanceof TemplateError) return undefined;
      throw error;
    }
  }
});

describe('host objects put into the scope by mistake', () => {
  class Account {
    readonly owner = 'Ada';
    readonly #secret = 'hidden';
    reveal(): string {
      return this.#secret;
    }
  }
  const mistaken = {
    account: new Account(),
    act: () => 'called',
    when: new Date(0),
    pattern: /x/,
    symbol: Symbol('s'),
  };

  test.each([
    '{{ account.reveal() }}',
    '{{ account.reveal }}',
    '{{ account.constructor }}',
    '{{ act() }}',
    '{{ act.constructor("return 1")() }}',
    '{{ [1] | map(act) | list }}',
    '{{ when.getTime() }}',
    '{{ when.constructor }}',
    '{{ pattern.exec("x") }}',
    '{{ symbol.description }}',
    '{{ [act][0]() }}',
    '{{ {"f": act}.f() }}',
  ])('%s calls nothing', (source) => {
    const run = () => createEngine({ undefined: 'chainable' }).compile(source).evaluate(mistaken);
    let value: unknown;
    try {
      value = run();
    } catch (error) {
      expect(error).toBeInstanceOf(TemplateError);
      return;
    }
    expect(['hidden', 'called']).not.toContain(value);
    expect(typeof value).not.toBe('function');
  });
});

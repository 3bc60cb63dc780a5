// A small API for the playbooks of this folder and of with-keychain: `node examples/with-api/api.mjs [PORT]`, 0 for any
// port that is free. It prints its address.
import { createServer } from 'node:http';

const port = Number(process.argv[2] ?? 5555);
const assessments = Array.from({ length: 35 }, (_, n) => ({
  id: n + 1,
  name: `Assessment ${n + 1}`,
  score: (n * 37) % 101,
}));
const failures = [429, 503];
const callsByKey = new Map();
let tokens = 0;

function page(rows, number, size) {
  const end = number * size;
  return { rows: rows.slice(end - size, end), hasMore: end < rows.length };
}

/** Fails twice for every request it has not seen, then answers: repeated attempts carry the same key. */
function flaky(_, { request }) {
  const key = request.headers['idempotency-key'] ?? '';
  const calls = callsByKey.get(key) ?? 0;
  callsByKey.set(key, calls + 1);
  const status = failures[calls];
  if (status !== undefined) return [status, { error: 'try again' }];
  callsByKey.delete(key);
  return [200, { answer: 42, calls: calls + 1 }];
}

function item([id]) {
  const found = assessments[Number(id) - 1];
  return found ? [200, found] : [404, { error: `no item ${id}` }];
}

function assessmentPage(_, { query }) {
  const number = Number(query.get('page') ?? 1);
  const pageSize = Number(query.get('pageSize') ?? 10);
  const { rows, hasMore } = page(assessments, number, pageSize);
  return [200, { data: rows, paging: { page: number, pageSize, hasMore, total: assessments.length } }];
}

function rooms([city, hotel], { query }) {
  const all = Array.from({ length: city.length + hotel.length }, (_, n) => `${city}/${hotel}/${n + 1}`);
  const { rows, hasMore } = page(all, Number(query.get('page') ?? 1), 4);
  return [200, { rooms: rows, has_more: hasMore }];
}

/** Takes whatever token, password or key it is given, and says which it was. */
function account(_, { request: { headers } }) {
  const scheme = /^(Bearer|Basic) \S+$/.exec(headers.authorization ?? '')?.[1]?.toLowerCase();
  const by = scheme ?? (headers['x-api-key'] ? 'api_key' : undefined);
  return by ? [200, { account: 'example', plan: 'free', by }] : [401, { error: 'a credential is needed' }];
}

/** Issues tokens by client credentials, to whoever asks. */
function token() {
  tokens += 1;
  return [200, { access_token: `example-token-${tokens}`, token_type: 'Bearer', expires_in: 60 }];
}

/** What a form had, part by part. */
async function uploads(_, { request, body }) {
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  const form = await new Response(body, { headers }).formData();
  const parts = [...form].map(([name, value]) =>
    typeof value === 'string' ? { name, value } : { name, filename: value.name, type: value.type, size: value.size },
  );
  return [201, { parts }];
}

const routes = [
  [/^\/ping$/, () => [200, { pong: true }]],
  [/^\/flaky$/, flaky],
  [/^\/items\/(\d+)$/, item],
  [/^\/api\/v1\/assessments$/, assessmentPage],
  [/^\/cities\/([^/]+)\/hotels\/([^/]+)\/rooms$/, rooms],
  [/^\/account$/, account],
  [/^\/uploads$/, uploads],
  [/^\/token$/, token],
];

async function answer(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);

  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
  for (const [pattern, respond] of routes) {
    const match = pattern.exec(pathname);
    if (match) return respond(match.slice(1), { request, query, body });
  }
  return [404, { error: `no ${pathname}` }];
}

const server = createServer(async (request, response) => {
  const [status, body] = await answer(request).catch((error) => [400, { error: error.message }]);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
server.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));

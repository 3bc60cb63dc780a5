import type { Route } from './route.ts';

/** A page about the API that needs nothing from anywhere else. */
export function docsPage(document: Readonly<Record<string, unknown>>, routes: readonly Route[]): string {
  const tags = [...new Set(routes.map(({ tag }) => tag))];
  const sections = tags.map((tag) =>
    section(
      tag,
      routes.filter((route) => route.tag === tag),
      document,
    ),
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>NoETL API</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; background: #fff; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
pre { background: #f6f8fa; padding: 0.75rem; overflow-x: auto; }
details { border: 1px solid #d0d7de; border-radius: 6px; margin: 0.5rem 0; padding: 0.5rem 0.75rem; }
summary { cursor: pointer; }
.method { display: inline-block; min-width: 4.5rem; font-weight: 600; }
.about { color: #57606a; }
@media (prefers-color-scheme: dark) { body { color: #e6edf3; background: #0d1117; } pre { background: #161b22; } details { border-color: #30363d; } .about { color: #9198a1; } }
</style>
</head>
<body>
<h1>NoETL API</h1>
<p>Every route stands in <a href="/api/openapi.json">the OpenAPI document</a>. Where the server knows tokens, send
<code>Authorization: Bearer TOKEN</code>. Problems are <code>application/problem+json</code> with a code.</p>
${sections.join('\n')}
</body>
</html>
`;
}

function section(tag: string, routes: readonly Route[], document: Readonly<Record<string, unknown>>): string {
  const paths = document.paths as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const entries = routes.map(({ method, path, summary, permission }) => {
    const operation = JSON.stringify(paths[path]?.[method.toLowerCase()], undefined, 2);
    return `<details><summary><span class="method">${method}</span> <code>${escaped(path)}</code> <span class="about">${escaped(summary)} · ${permission}</span></summary><pre>${escaped(operation)}</pre></details>`;
  });
  return `<h2>${escaped(tag)}</h2>\n${entries.join('\n')}`;
}

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);

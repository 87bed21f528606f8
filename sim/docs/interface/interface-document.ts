/** The reference of the HTTP interface, from its routes. */

import type { RouteDefinition } from '../../../src/http/contract.ts';
import { accessText } from '../../../src/http/openapi/document.ts';
import { routesOf } from '../../../src/http/routes.ts';
import { limits } from '../../../src/model/limits.ts';
import { callConventions } from './interface-calls.ts';

export function interfaceDocument(): string {
  const routes = routesOf({ webApps: () => [] });
  const rows = routes
    .filter(({ sameAs }) => sameAs === undefined)
    .map(
      ({ method, path, does, source, access }) =>
        `| ${method} | \`${shownPath(path)}\` | ${does} | ${accessText(access)} | ${source} |`,
    );
  return `# Interface

Generated from \`src/http/routes/\` by \`npm run docs\`. *documented*: the platform's interface shows it. *public*: public facts
about the platform name it. *chosen*: this product chose it; trust it least before going live.

Every path answers HEAD where it answers GET, and OPTIONS; any other method is 405 with \`Allow\`.

| Method | Path | What it does | Who may | Source |
|---|---|---|---|---|
${rows.join('\n')}

These are other names of paths above, with the same methods:

| Path | The same as | Source |
|---|---|---|
${otherNames(routes).join('\n')}

${callConventions}
${conventions}`;
}

/** Each path that is another name of one, once. */
function otherNames(routes: readonly RouteDefinition[]): string[] {
  const rows = routes.flatMap(({ path, sameAs, source }) =>
    sameAs === undefined ? [] : [`| \`${shownPath(path)}\` | \`${shownPath(sameAs)}\` | ${source} |`],
  );
  return [...new Set(rows)];
}

function shownPath(path: string): string {
  return path.replaceAll(/:(\w+)/g, '<$1>');
}

/** What is common to paths, with the limits that hold. */
const conventions = `## Sessions

\`POST /rest/v1/iam/sessions\` takes \`{domain, login, pwd, session_type?}\` (all text).

| session_type | answer |
|---|---|
| absent | 204, and the cookie \`RSession\`, which later requests send |
| \`token\` | 200 \`{"session_token": "…"}\`, which later requests send as \`Authorization: Bearer …\` |
| \`token_clone_cookie\` | the same, for a session of its own with the credentials of the session in the cookie; domain, login and pwd are ignored |

Where both are sent the header counts, and a bad header is not made good by a cookie. \`PATCH …/current\` takes \`{domain}\`, one of
the \`domains\` that \`GET …/current\` lists. A session lives ${limits.sessionMs / 1_000} s from its last use (chosen); a user has at most
${limits.sessionsPerUser}, and one more login closes the one idle longest (public). A session holds at every site that can be reached.
Fronts keep sessions in memory. A front answers a login before the others have heard of it: one that crashes in that moment, some
milliseconds, takes the session along (chosen); the client gets 401 and logs in again.

A browser sends the cookie along with whatever any page asks for. So each request by cookie other than GET, HEAD and OPTIONS
must come from a page of the front itself, or from no page: an \`Origin\` must name the host of the request, and
\`Sec-Fetch-Site\` must be \`same-origin\` or \`none\`, else 403; a body needs a \`Content-Type\`, else 415. A login that
sets the cookie is held to the same. Requests by token are not. (chosen)

${limits.loginFailures} failures (wrong logins, session ids that do not exist) within ${limits.loginWindowMs / 1_000} s ban the address at the ws instance where they
happened (documented): 429 with \`Retry-After\`, until ${limits.loginWindowMs / 1_000} s have passed without another attempt (chosen).
Sessions go on: a request with a session that this front knows is answered, and so is one that needs none (\`/healthz\`, \`/docs\`); one without
a session is 401 as before. 429 is the answer to logins, also by cookie (\`token_clone_cookie\`) and by external authentication, to requests with
any other session id, so that a session that is over is 429 in place of 401, and to \`/exec\` with the token of a channel. Each of them
prolongs the ban. (chosen)

## Edge roles

Scope (documented): at most one of \`site\`, \`sites\`, \`server\`, \`servers\` in the query; the plurals take names with commas between.
A server goes by its address, its srvidx or its name (\`n2\`, \`north/n2\`, \`esg-221\`). Without scope: every instance of the role.

\`POST …/bannedaddrs\` takes \`{ip, expires}\`: an IPv4 address, and seconds (1 to ${limits.banSeconds.toLocaleString('en')}) as a number or as text. The answer has an
entry for each instance in scope: \`site, node, srvidx, addr, online\`, and \`result\` (POST) or \`banned: [{ip, expires}]\` (GET) where
it is online. DELETE answers 204; it promises nothing for instances that could not be reached: check with GET.

\`…/dashboards/info\` takes \`regs\` (show provider accounts) and \`code\` (only those of this provider).
\`count\` and \`sites\` leave out instances that do not answer; \`X-Missing-Sites\` names their sites, of which \`info\` shows the \`online\` (chosen).

## Lists

| parameter | meaning |
|---|---|
| \`filter\` | a JSON object of equalities, \`{"site":"north"}\`, or a prefix expression, \`["==",["property","status"],"active"]\`; operators \`== != < <= > >= in like && \\|\\| !\`; \`like\` knows \`%\` and \`_\` (form documented, operators beyond \`==\` chosen) |
| \`mask\` | fields to return, with commas between, dotted for nested ones; unknown names are ignored |
| \`offset\`, \`limit\` | from 0; at most ${limits.pageItems.toLocaleString('en')}, by default ${limits.pageItemsDefault.toLocaleString('en')} |
| \`order\` | a name, or a JSON array of names and \`{"name":"desc"}\` |
| \`flat\` | nested objects become dotted keys |
| \`countonly\` | only \`{"count": N}\`, of all that the filter lets pass (name chosen) |

A single item takes \`mask\` and \`flat\`. A bare boolean parameter is true. Other query parameters are ignored; a change that takes
\`site\`, \`sites\`, \`server\` or \`servers\` refuses them, because without a misspelt one it would address all instances (chosen).

## Errors

\`{"error_code": 1000 + status, "error_message": "what was wrong, where, and what was expected"}\` (shape documented, codes chosen)

| status | when |
|---|---|
| 400 | malformed JSON, JSON nested more than ${limits.jsonDepth} deep or of more than ${limits.jsonValues.toLocaleString('en')} values, a wrong type or bound, an unknown field, a bad filter or order, more than one scope parameter, a path with the segments \`.\` or \`..\` |
| 401 | no session (with \`WWW-Authenticate: Bearer\`), wrong credentials |
| 403 | a session without the right: the wrong kind of domain, a missing access role; a write by cookie from a page of another origin |
| 404, 405 | no such path or item; another method (with \`Allow\`) |
| 409 | what is asked does not fit the state that a call or a value is in |
| 408, 413, 415, 417, 431 | too slow (head ${limits.headerTimeMs / 1_000} s, whole request ${limits.requestTimeMs / 1_000} s), body over ${limits.bodyBytes.toLocaleString('en')} bytes, not JSON, a body by cookie without \`Content-Type\`, an Expect that is not served, head over ${limits.headerBytes.toLocaleString('en')} bytes |
| 412, 416, 426 | a precondition of a file (\`If-Match\` …) does not hold; a range outside of the file; \`/ws\` without the handshake of a web socket |
| 429 | the address is banned (with \`Retry-After\`); see [sessions](#sessions) |
| 500 | a bug; the reference is also in the log |
| 501 | a verb of the platform that is not built |
| 503 | who must serve is not reachable: it surely did not happen (with \`Retry-After\`) |
| 504 | no answer in time: it may have happened |
`;

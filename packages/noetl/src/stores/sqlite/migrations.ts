/** In place of a kind of milestones: the execution was long before they were listed. */
export const UNLISTED = 'unlisted';

/**
 * The tables, as numbered steps: the file's `user_version` is how many of them it has seen. A step that was released never
 * changes; what is to be different comes as a further step.
 *
 * A row of `events` holds the events of an append, or a piece of it if it is long (see event-rows.ts): rows are what costs.
 * They stand in the order of arrival, because rows that arrive one behind the other are written together: a table ordered
 * by execution was 3–4 times slower. `executions` is the row on which appends compare and swap. `event_log` is for people.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE executions (
    id INTEGER PRIMARY KEY,
    execution_id TEXT NOT NULL UNIQUE,
    position INTEGER NOT NULL,
    hash TEXT NOT NULL,
    path TEXT NOT NULL,
    version TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    parent TEXT,
    status TEXT NOT NULL,
    requested_at INTEGER NOT NULL,
    ended_at INTEGER
  );
  CREATE INDEX executions_by_status ON executions (status, id);
  CREATE INDEX executions_by_path ON executions (path, id);
  CREATE INDEX executions_unfinished ON executions (id) WHERE ended_at IS NULL;

  CREATE TABLE events (
    gid INTEGER PRIMARY KEY,
    execution INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    hashes TEXT NOT NULL,
    bodies TEXT NOT NULL
  );
  CREATE UNIQUE INDEX events_by_execution ON events (execution, last);

  CREATE TABLE loops (id INTEGER PRIMARY KEY, loop TEXT NOT NULL UNIQUE);
  CREATE TABLE iterations (
    loop INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    gid INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (loop, idx)
  ) WITHOUT ROWID;

  CREATE TABLE leases (
    execution_id TEXT NOT NULL,
    work TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    worker TEXT,
    until INTEGER NOT NULL,
    PRIMARY KEY (execution_id, work)
  ) WITHOUT ROWID;

  CREATE TABLE catalog (
    path TEXT NOT NULL,
    version INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    text TEXT NOT NULL,
    registered_at INTEGER NOT NULL,
    PRIMARY KEY (path, version)
  );
  CREATE INDEX catalog_by_hash ON catalog (content_hash);

  CREATE TABLE control_inputs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    execution_id TEXT NOT NULL,
    body TEXT NOT NULL,
    left_at INTEGER NOT NULL
  );

  CREATE TABLE processes (
    id TEXT PRIMARY KEY,
    pid INTEGER NOT NULL,
    started_at TEXT NOT NULL,
    until INTEGER NOT NULL,
    buried INTEGER NOT NULL
  );
  CREATE TABLE drivers (execution_id TEXT PRIMARY KEY, process TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX drivers_by_process ON drivers (process);

  CREATE TABLE tool_logs (
    id INTEGER PRIMARY KEY,
    execution_id TEXT NOT NULL,
    task_run TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    stream TEXT NOT NULL,
    at INTEGER NOT NULL,
    text TEXT NOT NULL
  );
  CREATE INDEX tool_logs_by_task ON tool_logs (execution_id, task_run, attempt);
  CREATE INDEX tool_logs_by_execution ON tool_logs (execution_id, id);
  CREATE TABLE tool_log_sizes (
    execution_id TEXT NOT NULL,
    task_run TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    written INTEGER NOT NULL,
    PRIMARY KEY (execution_id, task_run, attempt)
  ) WITHOUT ROWID;

  CREATE VIEW event_log AS
    SELECT execution_id, first + item.key AS seq, item.value ->> '$.name' AS name, item.value AS body,
      substr(hashes, 1 + 64 * item.key, 64) AS hash
    FROM events JOIN executions ON executions.id = events.execution, json_each('[' || bodies || ']') AS item;
  `,
  // 2: states at positions, as a cache: whoever misses one folds the log.
  `
  CREATE TABLE snapshots (
    execution INTEGER NOT NULL,
    position INTEGER NOT NULL,
    format INTEGER NOT NULL,
    hash TEXT NOT NULL,
    checksum TEXT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (execution, position)
  );
  `,
  // 3: what forks were made from.
  `
  ALTER TABLE executions ADD COLUMN origin TEXT;
  ALTER TABLE executions ADD COLUMN origin_position INTEGER;
  `,
  // 4: what an execution called.
  `
  CREATE INDEX executions_by_parent ON executions (parent, id) WHERE parent IS NOT NULL;
  `,
  // 5: which rows of long logs hold milestones. Those of logs that are long already are not known, which costs time only.
  `
  CREATE TABLE milestones (
    execution INTEGER NOT NULL,
    kind TEXT NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (execution, kind, last)
  ) WITHOUT ROWID;
  INSERT INTO milestones SELECT id, '${UNLISTED}', 0 FROM executions WHERE position > 1000;
  `,
  // 6: sealed credentials, and which key they are sealed with.
  `
  CREATE TABLE credential_seal (store TEXT NOT NULL, key TEXT NOT NULL);
  CREATE TABLE credentials (
    name TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    fields TEXT NOT NULL,
    set_at INTEGER NOT NULL,
    sealed TEXT NOT NULL
  ) WITHOUT ROWID;
  `,
  // 7: what was forked from an execution, which is needed as long as its forks.
  `
  CREATE INDEX executions_by_origin ON executions (origin) WHERE origin IS NOT NULL;
  `,
  // 8: what playbooks of older dialects were translated from.
  `
  ALTER TABLE catalog ADD COLUMN original TEXT;
  `,
  // 9: how often work was taken over. Until now its epochs were nothing else.
  `
  ALTER TABLE leases ADD COLUMN takeovers INTEGER NOT NULL DEFAULT 0;
  UPDATE leases SET takeovers = epoch;
  `,
  // 10: who may call the API, by hashes; and who did what.
  `
  CREATE TABLE tokens (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    hash TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,
    prefix TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
  );
  CREATE TABLE audit (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    by_whom TEXT NOT NULL,
    what TEXT NOT NULL,
    status INTEGER
  );
  `,
  // 11: where requests came from.
  `
  ALTER TABLE audit ADD COLUMN from_where TEXT;
  `,
];

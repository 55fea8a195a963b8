-- What the API adds: the buckets of its rate limits, and the weight that a user gave a fact.
-- {app} is the application's role.

-- Counts of requests, which a crash may set back: not worth a place in the write-ahead log.
-- Each row is written at each request: room in the page keeps the new version beside the old.
CREATE UNLOGGED TABLE memoryapp_ratebucket (
    id uuid PRIMARY KEY,
    tokens double precision NOT NULL CHECK (tokens >= 0),
    at timestamptz NOT NULL
) WITH (fillfactor = 50);
GRANT SELECT, INSERT, UPDATE, DELETE ON memoryapp_ratebucket TO {app};

ALTER TABLE memoryapp_fact ADD COLUMN chosen_importance double precision
    CHECK (chosen_importance BETWEEN 0 AND 1);

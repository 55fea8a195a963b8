-- The tables as the database holds them: composite keys that refuse links across users,
-- hash partitions of what carries content, the one-current-value rule.
-- Migration 0001 runs this file as it stands: what comes later is a migration of its own.

CREATE TABLE memoryapp_attribute (
    key varchar(80) PRIMARY KEY,
    kind varchar(20) NOT NULL,
    cardinality varchar(10) NOT NULL,
    sensitive varchar(20) NOT NULL,
    ttl_days integer CHECK (ttl_days >= 0),
    half_life_days double precision,
    aliases varchar(80)[] NOT NULL,
    "group" varchar(20) NOT NULL,
    sentence varchar(200) NOT NULL,
    negated varchar(200) NOT NULL,
    other varchar(200) NOT NULL
);

CREATE TABLE memoryapp_conversation (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    external_id varchar(200) NOT NULL,
    title varchar(200) NOT NULL,
    application_id uuid,
    created_at timestamptz NOT NULL,
    last_message_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, id),
    CONSTRAINT memoryapp_conversation_external UNIQUE (user_id, external_id)
);

CREATE TABLE memoryapp_message (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    conversation_id uuid NOT NULL,
    external_id varchar(200),
    role varchar(10) NOT NULL,
    content text NOT NULL,
    content_hash bytea NOT NULL,
    sent_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    state varchar(10) NOT NULL,
    redactions integer NOT NULL CHECK (redactions >= 0),
    purged_at timestamptz,
    PRIMARY KEY (user_id, id),
    FOREIGN KEY (user_id, conversation_id)
        REFERENCES memoryapp_conversation (user_id, id) ON DELETE CASCADE
) PARTITION BY HASH (user_id);
-- Two ways to know a repeated delivery: the frontend's own id, else time and content.
CREATE UNIQUE INDEX memoryapp_message_external
    ON memoryapp_message (user_id, conversation_id, external_id) WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX memoryapp_message_content
    ON memoryapp_message (user_id, conversation_id, content_hash) WHERE external_id IS NULL;
-- The order of a conversation: extraction's context, and the conversation page.
CREATE INDEX memoryapp_message_order
    ON memoryapp_message (user_id, conversation_id, sent_at, id);
-- What waits to be read: the pipeline, and the page's progress.
CREATE INDEX memoryapp_message_waiting
    ON memoryapp_message (user_id, conversation_id) WHERE state <> 'processed';

CREATE TABLE memoryapp_extraction (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    conversation_id uuid,
    extractor varchar(40) NOT NULL,
    version varchar(40) NOT NULL,
    started_at timestamptz NOT NULL,
    ended_at timestamptz,
    outcome varchar(20) NOT NULL,
    messages integer NOT NULL CHECK (messages >= 0),
    candidates integer NOT NULL CHECK (candidates >= 0),
    dropped jsonb NOT NULL,
    tokens integer NOT NULL CHECK (tokens >= 0),
    PRIMARY KEY (user_id, id),
    FOREIGN KEY (user_id, conversation_id)
        REFERENCES memoryapp_conversation (user_id, id) ON DELETE SET NULL (conversation_id)
);

CREATE TABLE memoryapp_fact (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    subject varchar(120) NOT NULL,
    attribute varchar(80) NOT NULL,
    scope varchar(120) NOT NULL,
    value varchar(500) NOT NULL CHECK (value <> ''),
    value_key varchar(500) NOT NULL,
    polarity varchar(10) NOT NULL CHECK (polarity IN ('affirmed', 'negated')),
    operation varchar(10) NOT NULL CHECK (operation IN ('state', 'end')),
    statement text NOT NULL,
    kind varchar(20) NOT NULL,
    single boolean NOT NULL,
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    importance double precision NOT NULL CHECK (importance BETWEEN 0 AND 1),
    sensitivity varchar(20) NOT NULL,
    status varchar(12) NOT NULL CHECK (status IN ('current', 'superseded', 'retracted',
        'pending', 'rejected', 'expired', 'archived')),
    valid_from timestamptz NOT NULL,
    valid_to timestamptz,
    precision varchar(10) NOT NULL,
    recorded_at timestamptz NOT NULL,
    closed_at timestamptz,
    retired_at timestamptz,
    superseded_by_id uuid,
    supersession varchar(12) NOT NULL,
    last_stated_at timestamptz NOT NULL,
    expires_at timestamptz,
    pinned boolean NOT NULL,
    search tsvector GENERATED ALWAYS AS (
        to_tsvector('english', statement || ' ' || value || ' '
            || translate(attribute, '_', ' ') || ' ' || translate(subject, ':', ' '))
    ) STORED,
    PRIMARY KEY (user_id, id),
    CHECK (valid_to IS NULL OR valid_to >= valid_from),
    CHECK (retired_at IS NULL OR retired_at >= recorded_at),
    CHECK (status <> 'current' OR (retired_at IS NULL AND operation = 'state'))
) PARTITION BY HASH (user_id);
ALTER TABLE memoryapp_fact ADD FOREIGN KEY (user_id, superseded_by_id)
    REFERENCES memoryapp_fact (user_id, id) ON DELETE SET NULL (superseded_by_id);
-- One current value for a single-valued key; two concurrent writers can't both win.
CREATE UNIQUE INDEX memoryapp_fact_one_current
    ON memoryapp_fact (user_id, subject, attribute, scope) WHERE status = 'current' AND single;
-- For many-valued keys the value joins the key, hashed, since values may be long.
CREATE UNIQUE INDEX memoryapp_fact_one_current_value
    ON memoryapp_fact (user_id, subject, attribute, scope, md5(value_key))
    WHERE status = 'current' AND NOT single;
-- A key's whole timeline: reconciling, and the history on the page.
CREATE INDEX memoryapp_fact_key ON memoryapp_fact (user_id, subject, attribute, scope, valid_from);
-- A user's rows by state: recall, the page, the review inbox.
CREATE INDEX memoryapp_fact_status ON memoryapp_fact (user_id, status, recorded_at);
-- The children of superseded_by: its ON DELETE, and the chain of a hit.
CREATE INDEX memoryapp_fact_superseded_by
    ON memoryapp_fact (user_id, superseded_by_id) WHERE superseded_by_id IS NOT NULL;

CREATE TABLE memoryapp_evidence (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    fact_id uuid NOT NULL,
    message_id uuid,
    conversation_id uuid,
    source varchar(10) NOT NULL CHECK (source IN ('message', 'edit', 'import')),
    start integer NOT NULL CHECK (start >= 0),
    "end" integer NOT NULL CHECK ("end" >= start),
    quote text NOT NULL,
    sent_at timestamptz NOT NULL,
    valid_from timestamptz,
    valid_to timestamptz,
    precision varchar(10) NOT NULL,
    correction boolean NOT NULL,
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    importance double precision NOT NULL CHECK (importance BETWEEN 0 AND 1),
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, id),
    -- No fact without evidence: words of a message, or the user's own hand on the page.
    CHECK (source <> 'message' OR quote <> ''),
    FOREIGN KEY (user_id, fact_id) REFERENCES memoryapp_fact (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, message_id)
        REFERENCES memoryapp_message (user_id, id) ON DELETE SET NULL (message_id),
    FOREIGN KEY (user_id, conversation_id)
        REFERENCES memoryapp_conversation (user_id, id) ON DELETE SET NULL (conversation_id)
) PARTITION BY HASH (user_id);
-- The same words prove the same fact once, however often they are read (rows without a
-- message never clash). Also recall's proofs, and the fact's ON DELETE.
CREATE UNIQUE INDEX memoryapp_evidence_once
    ON memoryapp_evidence (user_id, fact_id, message_id, start, "end");
CREATE INDEX memoryapp_evidence_message ON memoryapp_evidence (user_id, message_id);
CREATE INDEX memoryapp_evidence_conversation ON memoryapp_evidence (user_id, conversation_id);

CREATE TABLE memoryapp_decision (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    extraction_id uuid,
    message_id uuid,
    fact_id uuid,
    outcome varchar(12) NOT NULL CHECK (outcome IN ('add', 'corroborate', 'supersede',
        'retract', 'conflict', 'ignore')),
    judge varchar(10) NOT NULL,
    reason varchar(200) NOT NULL,
    scores jsonb NOT NULL,
    subject varchar(120) NOT NULL,
    attribute varchar(80) NOT NULL,
    scope varchar(120) NOT NULL,
    value varchar(500) NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (user_id, id),
    FOREIGN KEY (user_id, extraction_id)
        REFERENCES memoryapp_extraction (user_id, id) ON DELETE SET NULL (extraction_id),
    FOREIGN KEY (user_id, message_id)
        REFERENCES memoryapp_message (user_id, id) ON DELETE SET NULL (message_id),
    FOREIGN KEY (user_id, fact_id)
        REFERENCES memoryapp_fact (user_id, id) ON DELETE SET NULL (fact_id)
) PARTITION BY HASH (user_id);
-- "Why do I remember this?", and masking on erasure.
CREATE INDEX memoryapp_decision_fact ON memoryapp_decision (user_id, fact_id);
CREATE INDEX memoryapp_decision_message ON memoryapp_decision (user_id, message_id);
CREATE INDEX memoryapp_decision_key ON memoryapp_decision (user_id, subject, attribute, scope);

CREATE TABLE memoryapp_factembedding (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    fact_id uuid NOT NULL,
    model varchar(120) NOT NULL,
    dimension integer NOT NULL CHECK (dimension > 0),
    embedding halfvec NOT NULL,
    PRIMARY KEY (user_id, id),
    -- Recall's join: the user's vectors of the active model.
    UNIQUE (user_id, fact_id, model),
    FOREIGN KEY (user_id, fact_id) REFERENCES memoryapp_fact (user_id, id) ON DELETE CASCADE
) PARTITION BY HASH (user_id);

CREATE TABLE memoryapp_factusage (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    fact_id uuid NOT NULL,
    recall_count integer NOT NULL CHECK (recall_count >= 0),
    last_recalled_at timestamptz,
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, fact_id),
    FOREIGN KEY (user_id, fact_id) REFERENCES memoryapp_fact (user_id, id) ON DELETE CASCADE
);

CREATE TABLE memoryapp_embeddingcache (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    key bytea NOT NULL,
    model varchar(120) NOT NULL,
    embedding halfvec NOT NULL,
    used_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, key, model)
);

CREATE TABLE memoryapp_erasurerequest (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    message_id uuid,
    what text NOT NULL,
    state varchar(10) NOT NULL,
    asked_at timestamptz NOT NULL,
    settled_at timestamptz,
    PRIMARY KEY (user_id, id),
    FOREIGN KEY (user_id, message_id)
        REFERENCES memoryapp_message (user_id, id) ON DELETE SET NULL (message_id)
);

-- Receipts and the log outlive the account: they hold ids and counts, never content.
CREATE TABLE memoryapp_erasurereceipt (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    target varchar(20) NOT NULL,
    requested_at timestamptz NOT NULL,
    completed_at timestamptz NOT NULL,
    storage_completed_at timestamptz,
    counts jsonb NOT NULL,
    fact_ids jsonb NOT NULL,
    PRIMARY KEY (user_id, id)
);

CREATE TABLE memoryapp_tombstone (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    hash bytea NOT NULL,
    erased_at timestamptz NOT NULL,
    forever boolean NOT NULL,
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, hash)
);

CREATE TABLE memoryapp_auditevent (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    actor varchar(120) NOT NULL,
    action varchar(40) NOT NULL,
    object varchar(120) NOT NULL,
    details jsonb NOT NULL,
    previous_hash bytea NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (user_id, id),
    CONSTRAINT memoryapp_auditevent_seq UNIQUE (user_id, seq)
);

CREATE TABLE memoryapp_outbox (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    conversation_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    not_before timestamptz NOT NULL,
    claimed_until timestamptz,
    attempts integer NOT NULL CHECK (attempts >= 0),
    done_at timestamptz,
    failed_at timestamptz,
    error varchar(40) NOT NULL,
    PRIMARY KEY (user_id, id),
    FOREIGN KEY (user_id, conversation_id)
        REFERENCES memoryapp_conversation (user_id, id) ON DELETE CASCADE
);
-- The sweep's query, across users.
CREATE INDEX memoryapp_outbox_due ON memoryapp_outbox (not_before)
    WHERE done_at IS NULL AND failed_at IS NULL;
CREATE INDEX memoryapp_outbox_conversation ON memoryapp_outbox (user_id, conversation_id);

CREATE TABLE memoryapp_idempotencykey (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    status smallint NOT NULL CHECK (status >= 0),
    body jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id, key_hash)
);

CREATE TABLE memoryapp_memorysettings (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    paused boolean NOT NULL,
    retention_days integer CHECK (retention_days >= 0),
    sensitive_opt_in varchar(20)[] NOT NULL,
    PRIMARY KEY (user_id, id),
    UNIQUE (user_id)
);

-- Partitions, so that the pass after an erasure rewrites a small table. PostgreSQL's own
-- statistics would keep values of content columns: none are gathered on them. A vector is
-- never moved out of its row.
ALTER TABLE memoryapp_factembedding ALTER COLUMN embedding SET STORAGE PLAIN;
ALTER TABLE memoryapp_embeddingcache ALTER COLUMN embedding SET STORAGE PLAIN;
ALTER TABLE memoryapp_embeddingcache ALTER COLUMN embedding SET STATISTICS 0;
ALTER TABLE memoryapp_erasurerequest ALTER COLUMN what SET STATISTICS 0;
DO $$
DECLARE
    parent text;
    content record;
BEGIN
    FOREACH parent IN ARRAY ARRAY['message', 'fact', 'evidence', 'decision', 'factembedding'] LOOP
        FOR number IN 0..31 LOOP
            EXECUTE format(
                'CREATE TABLE memoryapp_%1$s_p%2$s PARTITION OF memoryapp_%1$s '
                'FOR VALUES WITH (MODULUS 32, REMAINDER %3$s)',
                parent, lpad(number::text, 2, '0'), number);
        END LOOP;
    END LOOP;
    FOR content IN
        SELECT * FROM (VALUES ('message', 'content'), ('fact', 'value'), ('fact', 'value_key'),
            ('fact', 'statement'), ('fact', 'search'), ('evidence', 'quote'),
            ('decision', 'value'), ('factembedding', 'embedding')) AS c (parent, name)
    LOOP
        EXECUTE format('ALTER TABLE memoryapp_%s ALTER COLUMN %I SET STATISTICS 0',
            content.parent, content.name);
    END LOOP;
END $$;

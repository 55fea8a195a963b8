-- Imports: their progress and outcome, and which messages each brought. {app} is the
-- application's role.

CREATE TABLE memoryapp_import (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    format varchar(20) NOT NULL,
    state varchar(12) NOT NULL CHECK (state IN ('receiving', 'looking', 'refused', 'ready',
        'storing', 'reading', 'done', 'failed', 'undone')),
    actor varchar(120) NOT NULL,
    application_id uuid,
    file varchar(100) NOT NULL,
    size bigint NOT NULL CHECK (size >= 0),
    preview jsonb NOT NULL,
    counts jsonb NOT NULL,
    position integer NOT NULL CHECK (position >= 0),
    error varchar(40) NOT NULL,
    created_at timestamptz NOT NULL,
    started_at timestamptz,
    ended_at timestamptz,
    PRIMARY KEY (user_id, id)
);
-- The page's list.
CREATE INDEX memoryapp_import_created ON memoryapp_import (user_id, created_at);

ALTER TABLE memoryapp_message ADD COLUMN source_import_id uuid;
ALTER TABLE memoryapp_message ADD FOREIGN KEY (user_id, source_import_id)
    REFERENCES memoryapp_import (user_id, id) ON DELETE SET NULL (source_import_id);
-- What an import brought: its progress, its outcome, its undoing.
CREATE INDEX memoryapp_message_import
    ON memoryapp_message (user_id, source_import_id, conversation_id)
    WHERE source_import_id IS NOT NULL;

-- An import is work too: a slice at a time, found again by the sweep when a worker dies.
ALTER TABLE memoryapp_outbox ALTER COLUMN conversation_id DROP NOT NULL;
ALTER TABLE memoryapp_outbox ADD COLUMN source_import_id uuid;
ALTER TABLE memoryapp_outbox ADD CHECK (num_nonnulls(conversation_id, source_import_id) > 0);
ALTER TABLE memoryapp_outbox ADD FOREIGN KEY (user_id, source_import_id)
    REFERENCES memoryapp_import (user_id, id) ON DELETE CASCADE;
CREATE INDEX memoryapp_outbox_import ON memoryapp_outbox (user_id, source_import_id)
    WHERE source_import_id IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON memoryapp_import TO {app};
ALTER TABLE memoryapp_import ENABLE ROW LEVEL SECURITY;
ALTER TABLE memoryapp_import FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON memoryapp_import USING (user_id =
    nullif(current_setting('app.user_id', true), '')::uuid)
    WITH CHECK (user_id = nullif(current_setting('app.user_id', true), '')::uuid);
CREATE POLICY auditor_reads ON memoryapp_import FOR SELECT
    USING ((SELECT memoryapp_is_auditor()));

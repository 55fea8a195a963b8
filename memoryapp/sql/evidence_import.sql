-- Which import brought a proof: those of an own export may have no message to tell by.
ALTER TABLE memoryapp_evidence ADD COLUMN source_import_id uuid;
ALTER TABLE memoryapp_evidence ADD FOREIGN KEY (user_id, source_import_id)
    REFERENCES memoryapp_import (user_id, id) ON DELETE SET NULL (source_import_id);
-- What an import brought: its progress, its undoing, and the foreign key's ON DELETE.
CREATE INDEX memoryapp_evidence_import ON memoryapp_evidence (user_id, source_import_id)
    WHERE source_import_id IS NOT NULL;

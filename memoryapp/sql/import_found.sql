-- Facts that an import's messages and proofs prove, by status. Arrays instead of joins: the
-- tables have just grown, and a plan made without their statistics would compare each row with
-- each.
SELECT status, count(*)
FROM memoryapp_fact
WHERE user_id = %(user)s AND operation = 'state' AND status IN ('current', 'pending')
    AND id = ANY (ARRAY(
        SELECT DISTINCT fact_id FROM memoryapp_evidence
        WHERE user_id = %(user)s AND message_id = ANY (ARRAY(
            SELECT id FROM memoryapp_message
            WHERE user_id = %(user)s AND source_import_id = %(import)s))
        UNION SELECT DISTINCT fact_id FROM memoryapp_evidence
        WHERE user_id = %(user)s AND source_import_id = %(import)s))
GROUP BY status

-- Messages that repeat what was erased are no excerpts any more; how many vectors went.
WITH withheld AS (
    UPDATE memoryapp_message m SET excerpt = 'no'
    WHERE m.user_id = %(user_id)s::uuid AND m.excerpt <> 'no' AND (
        m.content ~* ANY (%(patterns)s::text[])
        OR (m.role = 'assistant' AND EXISTS (
            SELECT FROM memoryapp_message p
            WHERE p.user_id = %(user_id)s::uuid AND p.id = ANY (%(proofs)s::uuid[])
                AND p.conversation_id = m.conversation_id AND p.sent_at <= m.sent_at)))
    RETURNING m.id
),
gone AS (
    DELETE FROM memoryapp_messageembedding e
    USING withheld w
    WHERE e.user_id = %(user_id)s::uuid AND e.message_id = w.id
    RETURNING 1
)
SELECT count(*) FROM gone

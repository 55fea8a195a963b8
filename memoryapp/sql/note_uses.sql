-- Notes an answer's use of each fact that is still there, once an answer; none of an answer
-- whose message, or of a chat whose messages, were erased meanwhile.
INSERT INTO memoryapp_memoryuse
    (id, user_id, fact_id, at, application_id, via, conversation_id, message_id)
SELECT fresh.id, f.user_id, f.id, %(at)s::timestamptz, %(application_id)s::uuid, %(via)s,
    %(conversation_id)s::uuid, %(message_id)s::uuid
FROM unnest(%(ids)s::uuid[], %(fact_ids)s::uuid[]) AS fresh (id, fact_id)
JOIN memoryapp_fact f ON f.user_id = %(user_id)s::uuid AND f.id = fresh.fact_id
WHERE (%(conversation_id)s::uuid IS NULL OR EXISTS (
        SELECT FROM memoryapp_message m
        WHERE m.user_id = %(user_id)s::uuid AND m.conversation_id = %(conversation_id)s::uuid
            AND m.purged_at IS NULL
            AND (%(message_id)s::uuid IS NULL OR m.id = %(message_id)s::uuid)))
    AND NOT EXISTS (
        SELECT FROM memoryapp_memoryuse u
        WHERE u.user_id = %(user_id)s::uuid AND u.message_id = %(message_id)s::uuid
            AND u.fact_id = f.id)

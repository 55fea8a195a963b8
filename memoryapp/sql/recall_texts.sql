-- The texts of the messages that lead, with their vectors, and whether what they proved still
-- holds. What waits for the user's word, or was refused by them, isn't shown; nor is what the
-- assistant answered to it.
SELECT
    m.id, m.content, m.role, m.sent_at, coalesce(c.external_id, '') AS conversation,
    halfvec_send(e.embedding) AS vector,
    coalesce(proven.held, 0) > 0 AND coalesce(proven.holds, 0) = 0 AS outdated
FROM memoryapp_message m
LEFT JOIN memoryapp_conversation c
    ON c.user_id = %(user_id)s::uuid AND c.id = m.conversation_id
LEFT JOIN memoryapp_messageembedding e
    ON e.user_id = %(user_id)s::uuid AND e.message_id = m.id
    AND e.model = %(model)s AND e.dimension = %(dimension)s
CROSS JOIN LATERAL (
    SELECT CASE WHEN m.role = 'user' THEN m.id ELSE (
        SELECT p.id FROM memoryapp_message p
        WHERE p.user_id = %(user_id)s::uuid AND p.conversation_id = m.conversation_id
            AND (p.sent_at, p.id) < (m.sent_at, m.id) AND p.role = 'user'
        ORDER BY p.sent_at DESC, p.id DESC
        LIMIT 1
    ) END AS id
) AS prompted
CROSS JOIN LATERAL (
    SELECT
        count(*) FILTER (WHERE f.status IN ('pending', 'rejected')) AS waiting,
        count(*) FILTER (WHERE m.role = 'user' AND f.operation = 'state') AS held,
        count(*) FILTER (WHERE m.role = 'user' AND f.operation = 'state'
            AND f.status = 'current') AS holds
    FROM memoryapp_evidence v
    JOIN memoryapp_fact f ON f.user_id = %(user_id)s::uuid AND f.id = v.fact_id
    WHERE v.user_id = %(user_id)s::uuid AND v.message_id = prompted.id
) AS proven
WHERE m.user_id = %(user_id)s::uuid AND m.id = ANY (%(ids)s::uuid[]) AND m.excerpt = 'yes'
    AND proven.waiting = 0

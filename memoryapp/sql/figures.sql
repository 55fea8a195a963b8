-- How many memories there are, counted four ways: by the month in which each was first said, and
-- of those that hold now by attribute, by when an answer last used them, and by where they
-- came from. Rows of (what, key, more, count).
WITH held AS MATERIALIZED (
    SELECT f.status = 'current' AS holds, f.attribute,
        CASE WHEN f.subject = 'user' THEN f.kind ELSE 'people' END AS kind,
        to_char(
            coalesce(p.sent_at, f.recorded_at) AT TIME ZONE %(zone)s, 'YYYY-MM'
        ) AS month,
        coalesce(p.origin, 'chat') AS origin,
        CASE
            WHEN u.last_recalled_at IS NULL THEN 'never'
            WHEN u.last_recalled_at >= %(lately)s THEN 'lately'
            ELSE 'earlier'
        END AS used
    FROM memoryapp_fact f
    -- One look into an index for each fact, however the planner guesses.
    LEFT JOIN LATERAL (
        SELECT e.sent_at,
            CASE
                WHEN e.source = 'edit' THEN 'edit'
                WHEN e.source = 'import' OR e.source_import_id IS NOT NULL
                    OR m.source_import_id IS NOT NULL THEN 'import'
                WHEN c.application_id IS NOT NULL THEN c.application_id::text
                ELSE 'chat'
            END AS origin
        FROM memoryapp_evidence e
        LEFT JOIN memoryapp_message m ON m.user_id = e.user_id AND m.id = e.message_id
        LEFT JOIN memoryapp_conversation c
            ON c.user_id = e.user_id AND c.id = e.conversation_id
        WHERE e.user_id = %(user_id)s AND e.fact_id = f.id
        ORDER BY e.sent_at, e.id
        LIMIT 1
    ) p ON TRUE
    LEFT JOIN memoryapp_factusage u ON u.user_id = f.user_id AND u.fact_id = f.id
    WHERE f.user_id = %(user_id)s AND f.operation = 'state'
        AND f.status NOT IN ('pending', 'rejected')
)
SELECT 'month', month, '', count(*) FROM held GROUP BY month
UNION ALL
SELECT 'area', attribute, kind, count(*) FROM held WHERE holds GROUP BY attribute, kind
UNION ALL
SELECT 'used', used, '', count(*) FROM held WHERE holds GROUP BY used
UNION ALL
SELECT 'origin', origin, '', count(*) FROM held WHERE holds GROUP BY origin

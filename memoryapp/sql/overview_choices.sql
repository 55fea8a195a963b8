-- What the overview can be narrowed to, beside words of ours: scopes and people that memories
-- have (each named by the first memory that has it) and applications that conversations came
-- from; the most frequent first.
WITH held AS MATERIALIZED (
    SELECT id, scope, subject
    FROM memoryapp_fact
    WHERE user_id = %(user_id)s::uuid AND operation = 'state'
        AND (scope <> '' OR subject <> 'user')
        AND status NOT IN ('pending', 'rejected')
)
(SELECT 'scope' AS what, scope AS words, (array_agg(id ORDER BY id))[1] AS id, count(*) AS n
FROM held WHERE scope <> ''
GROUP BY scope ORDER BY n DESC, scope LIMIT %(most)s)
UNION ALL
(SELECT 'subject', subject, (array_agg(id ORDER BY id))[1], count(*) AS n
FROM held WHERE subject <> 'user'
GROUP BY subject ORDER BY n DESC, subject LIMIT %(most)s)
UNION ALL
(SELECT 'app', '', application_id, count(*) AS n
FROM memoryapp_conversation
WHERE user_id = %(user_id)s::uuid AND application_id IS NOT NULL
GROUP BY application_id ORDER BY n DESC LIMIT %(most)s)

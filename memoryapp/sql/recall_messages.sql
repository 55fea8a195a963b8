-- What is known of every past message that may be shown, to rank them by: one row of arrays in
-- the order of conversation and time, in their binary form (`memoryapp/excerpts.py` reads it).
--
-- asked: the question's lexemes, each by itself and joined by OR
-- said:  the messages within the user's retention and the caller's filters, the newest 20,000
WITH asked AS MATERIALIZED (
    SELECT
        spelled.words,
        nullif(array_to_string(spelled.words, ' | '), '')::tsquery AS any_word,
        repeat('0', cardinality(spelled.words)) AS none,
        %(vector)s::halfvec AS vector
    FROM (
        SELECT ARRAY(
            SELECT ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery
            FROM unnest(tsvector_to_array(memoryapp_terms(%(text)s))) AS lexeme
        ) AS words
    ) AS spelled
),
said AS (
    SELECT
        newest.id, newest.conversation_id, newest.role, newest.sent_at, length(stripped.terms) AS length,
        CASE WHEN stripped.terms @@ asked.any_word THEN (
            SELECT string_agg((stripped.terms @@ word)::int::text, '')
            FROM unnest(asked.words) AS word
        ) ELSE asked.none END AS has,
        coalesce(1 - (e.embedding <=> asked.vector), 'NaN')::float4 AS cosine
    FROM asked
    CROSS JOIN (
        SELECT m.id, m.conversation_id, m.role, m.sent_at, m.search
        FROM memoryapp_message m
        WHERE m.user_id = %(user_id)s::uuid
            AND m.excerpt = 'yes'
            AND m.received_at > %(now)s::timestamptz - make_interval(days => coalesce((
                SELECT s.retention_days FROM memoryapp_memorysettings s
                WHERE s.user_id = %(user_id)s::uuid), %(retention_days)s::int))
            AND (%(as_of)s::timestamptz IS NULL OR m.sent_at <= %(as_of)s::timestamptz)
            AND (%(known_at)s::timestamptz IS NULL OR m.received_at <= %(known_at)s::timestamptz)
            AND (%(since)s::timestamptz IS NULL OR m.sent_at >= %(since)s::timestamptz)
            AND (%(until)s::timestamptz IS NULL OR m.sent_at < %(until)s::timestamptz)
        ORDER BY m.sent_at DESC
        LIMIT %(most)s
    ) AS newest
    LEFT JOIN memoryapp_messageembedding e
        ON e.user_id = %(user_id)s::uuid AND e.message_id = newest.id
        AND e.model = %(model)s AND e.dimension = %(dimension)s
    -- Taken out of its store once, not once a lexeme.
    CROSS JOIN LATERAL (
        SELECT ts_filter(newest.search, '{a,b,c,d}') AS terms OFFSET 0
    ) AS stripped
    ORDER BY newest.conversation_id, newest.sent_at, newest.id
)
SELECT
    count(*),
    array_send(array_agg(id)),
    array_send(array_agg(conversation_id)),
    string_agg(CASE role WHEN 'user' THEN 'u' ELSE 'a' END, ''),
    array_send(array_agg(extract(epoch FROM sent_at)::float8)),
    array_send(array_agg(length)),
    string_agg(has, ''),
    array_send(array_agg(cosine))
FROM said
